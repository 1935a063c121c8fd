// Adds, changes and removes rules that apply to many products of an account. The products they
// apply to are marked, and the sync-watchers loop updates the product's side.
import { lockBalances } from '../credits/ledger.ts';
import type { Database, Transaction } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import type { AccountRule } from './account-rule.ts';
import { deleteAccountRule, listAccountRules, saveAccountRule } from './account-rules.ts';
import { markTaggedPending } from './pending-products.ts';

type RuleKey = Pick<AccountRule, 'accountId' | 'ruleId'>;

export function addAccountRule(db: Database, rule: AccountRule): Promise<AccountRule> {
  return underLock(db, rule, async (tx, rules) => {
    if (rules.length >= bounds.accountRulesMax) {
      throw new Problem(
        'rule_limit_reached',
        `An account has at most ${bounds.accountRulesMax} rules for many products: remove one first.`,
      );
    }
    await saveAccountRule(tx, rule);
    await markTaggedPending(tx, rule);
    return rule;
  });
}

/** Returns undefined when there is no such rule. */
export function changeAccountRule(
  db: Database,
  key: RuleKey,
  change: (stored: AccountRule) => AccountRule,
): Promise<AccountRule | undefined> {
  return underLock(db, key, async (tx, rules) => {
    const stored = rules.find(({ ruleId }) => ruleId === key.ruleId);
    if (stored === undefined) return undefined;
    const changed = change(stored);
    await saveAccountRule(tx, changed);
    await markTaggedPending(tx, stored);
    await markTaggedPending(tx, changed);
    return changed;
  });
}

export function removeAccountRule(db: Database, key: RuleKey): Promise<boolean> {
  return underLock(db, key, async (tx, rules) => {
    const stored = rules.find(({ ruleId }) => ruleId === key.ruleId);
    if (stored === undefined) return false;
    await deleteAccountRule(tx, key);
    await markTaggedPending(tx, stored);
    return true;
  });
}

/** One change per account at a time, so that the limit holds and no change is lost. */
function underLock<T>(
  db: Database,
  { accountId }: RuleKey,
  work: (tx: Transaction, rules: readonly AccountRule[]) => Promise<T>,
): Promise<T> {
  return db.transaction(async (tx) => {
    await lockBalances(tx, [accountId]);
    return work(tx, await listAccountRules(tx, accountId));
  });
}
