// /retailer/oversight/rules: rules that apply to many tracked products, by tag. All of these
// endpoints are free.
import { type Static, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import type { Database } from '../database/database.ts';
import { readRules } from '../events/read-rules.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Clock } from '../foundation/clock.ts';
import { isId, newId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import type { AccountRule } from '../tracking/account-rule.ts';
import { listAccountRules } from '../tracking/account-rules.ts';
import { addAccountRule, changeAccountRule, removeAccountRule } from '../tracking/change-rules.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { RulesSchema } from './rules-schema.ts';
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
    created_at: DateTime('When the rule was added'),
  },
  { title: 'AccountRule' },
);

const RuleById = Type.Object({
  id: Type.String({ maxLength: 100, description: 'the id of a rule' }),
});

const PRECEDENCE =
  'Of several rules, a product’s own come first, then those for its tags, then those for all products, then the defaults; among equals the newest comes first, part by part.';

type Deps = { db: Database; clock: Clock };

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
    description: `Thresholds for all tracked products, or for those with one of some tags; at most ${bounds.accountRulesMax} per account. ${PRECEDENCE} Costs no credits.`,
    body: Type.Object(
      { name: Name, tags: Type.Optional(RuleTags), rules: RulesSchema },
      { title: 'NewAccountRule' },
    ),
    responses: { 201: RuleRecord },
    errors: [409],
    async respond({ body, caller }) {
      const rule = checked({
        accountId: caller.account.accountId,
        ruleId: newId(),
        createdAtMs: deps.clock.nowMs(),
        name: body.name,
        tags: body.tags ?? null,
        rules: body.rules,
        condition: null,
      });
      return { status: 201, json: ruleRecord(await addAccountRule(deps.db, rule)) };
    },
  });

/** Throws for thresholds that are invalid, and for a rule without any. */
function checked(rule: AccountRule): AccountRule {
  readRules(rule.rules);
  if (rule.rules !== null && Object.keys(rule.rules).length > 0) return rule;
  throw new Problem('rules_invalid', 'Body member rules must have at least one part.', {
    field: 'rules',
  });
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
      },
      { title: 'AccountRuleUpdate' },
    ),
    responses: { 200: RuleRecord },
    errors: [404],
    async respond({ params, body, caller }) {
      const changed = await changeAccountRule(deps.db, ownKey(params.id, caller), (stored) =>
        checked(changedBy(stored, body)),
      );
      if (changed === undefined) throw noSuchRule();
      return { json: ruleRecord(changed) };
    },
  });

type Change = { name?: string; tags?: Static<typeof RuleTags>; rules?: AccountRule['rules'] };

const changedBy = (stored: AccountRule, change: Change): AccountRule => ({
  ...stored,
  name: change.name ?? stored.name,
  tags: change.tags === undefined ? stored.tags : change.tags,
  rules: change.rules === undefined ? stored.rules : change.rules,
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
  created_at: isoTime(rule.createdAtMs),
});
