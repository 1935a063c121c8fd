// How the free delivery slots of a claim are divided between lane groups, accounts and webhooks.
import type { WebhookKey } from './health-records.ts';

/**
 * The slots of one lane group: in proportion to its due accounts among those of the groups that
 * have not had a turn. A group with a second turn is no longer counted in `accountsLeft`.
 */
export function shareOfGroup(turn: {
  limit: number;
  accounts: number;
  accountsLeft: number;
}): number {
  return Math.ceil((turn.limit * turn.accounts) / Math.max(turn.accounts, turn.accountsLeft));
}

/** A webhook's part of its account's share of the slots, so that little is read and not claimed. */
export function shareOfWebhook(
  webhooks: readonly WebhookKey[],
  limit: number,
): (webhook: WebhookKey) => number {
  const ofAccount = new Map<string, number>();
  for (const { accountId } of webhooks) {
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + 1);
  }
  const each = limit / ofAccount.size;
  return ({ accountId }) => Math.ceil(each / (ofAccount.get(accountId) ?? 1));
}
