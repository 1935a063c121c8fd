// Commands account close, reopen, delete, export and restore.
import { open, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type Account, accountNamed } from '../accounts/accounts.ts';
import {
  closeAccount,
  reopenAccount,
  requestDeletion,
  requestDeletionNow,
  restoreAccount,
  WAITING_DAYS,
} from '../closing/close-account.ts';
import { deleteAccount } from '../closing/delete-account.ts';
import { exportAccount } from '../closing/export-account.ts';
import { isoTime } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { type Command, type Result, requiredOption, WrongUsage } from './command.ts';

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

const result = (account: Account, text: string): Result => ({
  json: {
    account_id: account.accountId,
    closed_at: timeOrNull(account.closedAtMs),
    closed_by: account.closedBy,
    delete_at: timeOrNull(account.deleteAtMs),
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
      const since = isoTime(account.closedAtMs as number);
      return result(
        account,
        `Account ${email} is closed since ${since}: tracking, charges and deliveries have stopped, and its keys stop working within a second. Run "account reopen" to reopen it.`,
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
        `Account ${email} is open again: tracking, webhooks and keys work as before.`,
      );
    },
  },
  {
    name: 'account delete',
    words: ['ACCOUNT'],
    usage: 'account delete ACCOUNT [--now --confirm E-MAIL]',
    options: { now: { type: 'boolean' }, confirm: { type: 'string' } },
    on: 'app',
    async run(app, { words, options }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      if (options.now !== true) {
        const account = await requestDeletion(app, accountId);
        const at = isoTime(account.deleteAtMs as number);
        return result(
          account,
          `Account ${email} is closed and will be deleted at ${at}, ${WAITING_DAYS} days after the request. Run "account restore" before then to cancel.`,
        );
      }
      if (options.confirm !== email) {
        throw new WrongUsage(
          `--now deletes the account immediately and permanently; add --confirm ${email}`,
        );
      }
      const account = await requestDeletionNow(app, accountId);
      await deleteAccount(app, accountId);
      return result(
        account,
        `Account ${email} is deleted. Its ledger entries are kept without personal data.`,
      );
    },
  },
  {
    name: 'account export',
    words: ['ACCOUNT'],
    usage: 'account export ACCOUNT --out FILE',
    options: { out: { type: 'string' } },
    on: 'app',
    async run(app, { words, options }) {
      const path = requiredOption(options, 'out');
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      const file = await open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
        throw new Problem(
          'file_not_writable',
          `Cannot create ${path}: ${error.code ?? error.message}.`,
        );
      });
      const out = file.createWriteStream();
      try {
        const manifest = await exportAccount(app, { accountId, out });
        out.end();
        await finished(out);
        const rows = Object.values(manifest.files).reduce((sum, count) => sum + count, 0);
        return {
          json: { file: path, ...manifest },
          text: `Wrote ${rows} rows of ${email} to ${path}.`,
        };
      } catch (error) {
        out.destroy();
        await rm(path, { force: true });
        throw error;
      }
    },
  },
  {
    name: 'account restore',
    words: ['ACCOUNT'],
    usage: 'account restore ACCOUNT',
    on: 'app',
    async run(app, { words }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      const account = await restoreAccount(app, accountId);
      return result(
        account,
        account.closedAtMs === null
          ? `Account ${email} is restored: tracking, webhooks and keys work as before.`
          : `Account ${email} will not be deleted. It is still closed; run "account reopen" to reopen it.`,
      );
    },
  },
];
