// account close, reopen, delete and restore.
import { type Account, accountNamed } from '../accounts/accounts.ts';
import { closeAccount, reopenAccount } from '../closing/close-account.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Command, Result } from './command.ts';

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

const result = (account: Account, text: string): Result => ({
  json: {
    account_id: account.accountId,
    closed_at: timeOrNull(account.closedAt),
    closed_by: account.closedBy,
    delete_at: timeOrNull(account.deleteAt),
  },
  text,
});

export const closingCommands: readonly Command[] = [
  {
    name: 'account close',
    words: ['ACCOUNT'],
    usage: 'account close ACCOUNT',
    on: 'app',
    async run(app, { words }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      const account = await closeAccount(app, accountId);
      const since = isoTime(account.closedAt as number);
      return result(
        account,
        `Account ${email} is closed since ${since}: nothing is tracked, charged or sent for it, and its keys are refused within a second. "account reopen" restores it.`,
      );
    },
  },
  {
    name: 'account reopen',
    words: ['ACCOUNT'],
    usage: 'account reopen ACCOUNT',
    on: 'app',
    async run(app, { words }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      const account = await reopenAccount(app, accountId);
      return result(
        account,
        `Account ${email} is open: tracking, webhooks and keys are as before.`,
      );
    },
  },
];
