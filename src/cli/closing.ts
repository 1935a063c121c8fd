// account close, reopen, export, delete and restore.
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
          `Account ${email} is closed and will be deleted at ${at}, ${WAITING_DAYS} days after it was asked for. "account restore" takes it back until then.`,
        );
      }
      if (options.confirm !== email) {
        throw new WrongUsage(`--now deletes at once and for ever: add --confirm ${email}`);
      }
      const account = await requestDeletionNow(app, accountId);
      await deleteAccount(app, accountId);
      return result(
        account,
        `Account ${email} is deleted. The ledger keeps its entries without a name.`,
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
          `${path} cannot be made: ${error.code ?? error.message}.`,
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
          text: `${rows} rows of ${email} are in ${path}.`,
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
          ? `Account ${email} is restored: tracking, webhooks and keys are as before.`
          : `Account ${email} will not be deleted. It is still closed: "account reopen" opens it.`,
      );
    },
  },
];
