// The `account_rules` table: rules that apply to many products of an account.
import type { Connection, Database, Transaction } from '../database/database.ts';
import { statement } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { AccountRule } from './account-rule.ts';

type RuleRow = {
  account_id: string;
  rule_id: string;
  created_at: number;
  name: string;
  tags: string[] | null;
  rules: Record<string, unknown> | null;
  condition: string | null;
};

const COLUMNS = 'account_id, rule_id, created_at, name, tags, rules, condition';

const fromRow = (row: RuleRow): AccountRule => ({
  accountId: row.account_id,
  ruleId: row.rule_id,
  createdAtMs: row.created_at,
  name: row.name,
  tags: row.tags,
  rules: row.rules,
  condition: row.condition,
});

const keyOf = ({ accountId, ruleId }: Pick<AccountRule, 'accountId' | 'ruleId'>) => [
  lane(accountId),
  accountId,
  ruleId,
];

/** The rules of an account, oldest first. An account has few. */
const LIST = statement(
  'list-account-rules',
  `select ${COLUMNS} from account_rules where lane = $1 and account_id = $2
    order by created_at, rule_id`,
);

export async function listAccountRules(
  db: Connection | Database,
  accountId: string,
): Promise<AccountRule[]> {
  const rows = await db.query<RuleRow>(LIST, [lane(accountId), accountId]);
  return rows.map(fromRow);
}

/** Inserts a rule, or replaces one with the same id. */
export async function saveAccountRule(tx: Transaction, rule: AccountRule): Promise<void> {
  await tx.query(
    `insert into account_rules (lane, account_id, rule_id, created_at, name, tags, rules, condition)
     values ($1, $2, $3, $4, $5, $6::text[], $7::jsonb, $8)
     on conflict (lane, account_id, rule_id) do update
        set name = excluded.name, tags = excluded.tags, rules = excluded.rules,
            condition = excluded.condition`,
    [
      ...keyOf(rule),
      isoTime(rule.createdAtMs),
      rule.name,
      rule.tags,
      rule.rules === null ? null : JSON.stringify(rule.rules),
      rule.condition,
    ],
  );
}

export async function deleteAccountRule(
  tx: Transaction,
  key: Pick<AccountRule, 'accountId' | 'ruleId'>,
): Promise<void> {
  await tx.query(
    'delete from account_rules where lane = $1 and account_id = $2 and rule_id = $3',
    keyOf(key),
  );
}
