// Rules that apply to many products of an account: which of them apply to a product, and the
// thresholds that follow. A product's own rules come first, then rules for its tags, then rules
// for all products, then the defaults; among equals, the newest comes first.
import type { WatcherCondition } from '../events/condition-state.ts';
import { mergeRules } from '../events/read-rules.ts';
import type { TrackedProduct } from './tracked-product.ts';

export type AccountRule = {
  accountId: string;
  ruleId: string;
  createdAtMs: number;
  name: string;
  /** null: applies to all products. */
  tags: readonly string[] | null;
  /** The thresholds that differ from the defaults, as the customer sent them. */
  rules: TrackedProduct['rules'];
  /** A condition of the customer's own; null if it has none. */
  condition: string | null;
};

/** The conditions that a product's watcher evaluates; null for none. */
export function conditionsFor(
  product: Tagged,
  accountRules: readonly AccountRule[],
): WatcherCondition[] | null {
  const conditions = accountRules.flatMap(({ ruleId, name, tags, condition }) =>
    condition !== null && appliesTo({ tags }, product)
      ? [{ id: ruleId, name, text: condition }]
      : [],
  );
  return conditions.length === 0 ? null : conditions;
}

type Tagged = Pick<TrackedProduct, 'tags'>;

export const appliesTo = (rule: Pick<AccountRule, 'tags'>, { tags }: Tagged): boolean =>
  rule.tags === null || rule.tags.some((tag) => tags.includes(tag));

/** The thresholds of a product after all rules, as customers write them. */
export function effectiveRules(
  product: Tagged & Pick<TrackedProduct, 'rules'>,
  accountRules: readonly AccountRule[],
): TrackedProduct['rules'] {
  const applying = accountRules
    .filter((rule) => rule.rules !== null && appliesTo(rule, product))
    .sort((a, b) => rankOf(a) - rankOf(b) || a.createdAtMs - b.createdAtMs);
  if (applying.length === 0) return product.rules;
  const merged = applying.reduce<TrackedProduct['rules']>(
    (rules, rule) => mergeRules(rules, rule.rules),
    null,
  );
  // null as a product's rules means that it has none of its own.
  return product.rules === null ? merged : mergeRules(merged, product.rules);
}

const rankOf = ({ tags }: AccountRule) => (tags === null ? 0 : 1);
