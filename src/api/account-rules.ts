// /retailer/oversight/rules: rules that apply to many tracked products, by tag. All of these
// endpoints are free.
import { type Static, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { Database } from '../database/database.ts';
import { readCondition } from '../events/condition.ts';
import { readRules } from '../events/read-rules.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import type { AccountRule } from '../tracking/account-rule.ts';
import { listAccountRules } from '../tracking/account-rules.ts';
import { addAccountRule, changeAccountRule, removeAccountRule } from '../tracking/change-rules.ts';
import { type RuleTrialDeps, tryRule } from '../tracking/try-rule.ts';
import type { TakeTurn } from './heavy-requests.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { ConditionText, RulesSchema } from './rules-schema.ts';
import { TagSchema } from './tracked-record.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from './wire.ts';

const PATH = '/retailer/oversight/rules';

const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^(?=[\\s\\S]*\\S)${TEXT_PATTERN.slice(1)}`,
  description: 'a name of 1 to 100 characters, not only spaces',
});
const RuleTags = nullable(
  Type.Array(TagSchema, {
    minItems: 1,
    maxItems: bounds.tagsMax,
    uniqueItems: true,
    description: `a list of 1 to ${bounds.tagsMax} tags: the rule applies to products that have one of them; or null for all products`,
  }),
);

const RuleRecord = Type.Object(
  {
    id: Type.String(),
    name: Name,
    tags: RuleTags,
    rules: RulesSchema,
    condition: nullable(ConditionText),
    created_at: DateTime('When the rule was added'),
  },
  { title: 'AccountRule' },
);

const Warnings = Type.Array(
  Type.Object(
    { code: Type.String(), message: Type.String() },
    { title: 'RuleWarning', description: 'The rule was saved; this may not be intended.' },
  ),
);
const SavedRule = Type.Object(
  { ...RuleRecord.properties, warnings: Warnings },
  { title: 'SavedAccountRule' },
);

const RuleById = Type.Object({
  id: Type.String({ maxLength: 100, description: 'the id of a rule' }),
});

const PRECEDENCE =
  'Of several rules, a product’s own come first, then those for its tags, then those for all products, then the defaults; among equals the newest comes first, part by part.';

type Deps = RuleTrialDeps & { db: Database; clock: Clock };

export const accountRuleEndpoints = (deps: Deps): Endpoint[] => [
  addEndpoint(deps),
  listEndpoint(deps),
  changeEndpoint(deps),
  removeEndpoint(deps),
];

const common = { tag: 'Tracked products', bucket: 'account' } as const;

const addEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'POST',
    path: PATH,
    operation: 'rule-add',
    operationId: 'rules.create',
    summary: 'Add a rule for many products',
    description: `Thresholds or a condition for all tracked products, or for those with one of some tags; at most ${bounds.accountRulesMax} per account. When a condition becomes true for a product, \`rule.matched\` is emitted, only to webhooks that subscribe to it by name. ${PRECEDENCE} Costs no credits.`,
    body: Type.Object(
      {
        name: Name,
        tags: Type.Optional(RuleTags),
        rules: Type.Optional(RulesSchema),
        condition: Type.Optional(nullable(ConditionText)),
      },
      { title: 'NewAccountRule' },
    ),
    responses: { 201: SavedRule },
    errors: [409],
    heavy: () => true,
    async respond({ body, caller, takeTurn }) {
      const rule = checked({
        accountId: caller.account.accountId,
        ruleId: newId(),
        createdAtMs: deps.clock.nowMs(),
        name: body.name,
        tags: body.tags ?? null,
        rules: body.rules ?? null,
        condition: body.condition ?? null,
      });
      const added = await addAccountRule(deps.db, rule);
      return { status: 201, json: await savedRule({ ...deps, takeTurn }, added, caller) };
    },
  });

/** Throws for thresholds or a condition that are invalid, and for a rule without both. */
function checked(rule: AccountRule): AccountRule {
  readRules(rule.rules);
  if (rule.condition !== null) readCondition(rule.condition);
  const hasParts = rule.rules !== null && Object.keys(rule.rules).length > 0;
  if (hasParts || rule.condition !== null) return rule;
  throw new Problem('rules_invalid', 'A rule must have a condition, or rules with a part.', {
    field: 'rules',
  });
}

/** The rule as it was saved, with what a back-test of its condition says. */
async function savedRule(deps: Deps & { takeTurn: TakeTurn }, rule: AccountRule, caller: Caller) {
  const tried = await tryRule(deps, { rule, accountSeller: caller.account.sellerName });
  const neverMatched = {
    code: 'condition_never_matched',
    message: `The condition would not have matched in the last ${tried.days} days for the ${tried.products} products that were tried.`,
  };
  const isSilent = tried.products > 0 && tried.matches === 0;
  return { ...ruleRecord(rule), warnings: isSilent ? [neverMatched] : [] };
}

const listEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'GET',
    path: PATH,
    operation: 'rule-list',
    operationId: 'rules.list',
    summary: 'List the rules for many products, oldest first',
    responses: { 200: Type.Array(RuleRecord) },
    list: { record: RuleRecord },
    async respond({ caller }) {
      const rules = await listAccountRules(deps.db, caller.account.accountId);
      return { json: rules.map(ruleRecord) };
    },
  });

const changeEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'PATCH',
    path: `${PATH}/:id`,
    operation: 'rule-change',
    operationId: 'rules.update',
    summary: 'Change a rule for many products',
    description:
      'Replaces the members that you send. The products are updated within seconds. Costs no credits.',
    params: RuleById,
    body: Type.Object(
      {
        name: Type.Optional(Name),
        tags: Type.Optional(RuleTags),
        rules: Type.Optional(RulesSchema),
        condition: Type.Optional(nullable(ConditionText)),
      },
      { title: 'AccountRuleUpdate' },
    ),
    responses: { 200: SavedRule },
    errors: [404],
    heavy: () => true,
    async respond({ params, body, caller, takeTurn }) {
      const changed = await changeAccountRule(deps.db, ownKey(params.id, caller), (stored) =>
        checked(changedBy(stored, body)),
      );
      if (changed === undefined) throw noSuchRule();
      return { json: await savedRule({ ...deps, takeTurn }, changed, caller) };
    },
  });

type Change = {
  name?: string;
  tags?: Static<typeof RuleTags>;
  rules?: AccountRule['rules'];
  condition?: string | null;
};

const changedBy = (stored: AccountRule, change: Change): AccountRule => ({
  ...stored,
  name: change.name ?? stored.name,
  tags: change.tags === undefined ? stored.tags : change.tags,
  rules: change.rules === undefined ? stored.rules : change.rules,
  condition: change.condition === undefined ? stored.condition : change.condition,
});

const removeEndpoint = (deps: Deps) =>
  endpoint({
    ...common,
    method: 'DELETE',
    path: `${PATH}/:id`,
    operation: 'rule-remove',
    operationId: 'rules.delete',
    summary: 'Remove a rule for many products',
    params: RuleById,
    responses: { 204: Type.Null({ description: 'Removed.' }) },
    errors: [404],
    async respond({ params, caller }) {
      if (!(await removeAccountRule(deps.db, ownKey(params.id, caller)))) throw noSuchRule();
      return { json: undefined };
    },
  });

const noSuchRule = () => new Problem('rule_not_found', 'No rule has this id.');

function ownKey(id: string, caller: Caller): { accountId: string; ruleId: string } {
  const ruleId = id.toLowerCase();
  if (!isId(ruleId)) throw noSuchRule();
  return { accountId: caller.account.accountId, ruleId };
}

const ruleRecord = (rule: AccountRule) => ({
  id: rule.ruleId,
  name: rule.name,
  tags: rule.tags,
  rules: rule.rules,
  condition: rule.condition,
  created_at: isoTime(rule.createdAtMs),
});
