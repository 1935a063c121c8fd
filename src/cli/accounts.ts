// Commands account create, account list, key create, key list and key revoke.
import { accountNamed, listAccounts, normalEmail } from '../accounts/accounts.ts';
import { accountIdOfKey, createApiKey, listApiKeys, revokeApiKey } from '../accounts/api-keys.ts';
import { refuseUnfitPassword } from '../accounts/sign-in.ts';
import { readBalances } from '../credits/ledger.ts';
import { openAccount } from '../credits/open-account.ts';
import { isoTime } from '../foundation/clock.ts';
import { type Command, requiredOption, table } from './command.ts';

const timeOrNull = (ms: number | null) => (ms === null ? null : isoTime(ms));

export const accountCommands: readonly Command[] = [
  {
    name: 'account create',
    words: [],
    usage: 'account create --email E [--plan Free] [--password P]',
    options: {
      email: { type: 'string' },
      plan: { type: 'string', default: 'Free' },
      password: { type: 'string' },
    },
    on: 'app',
    async run(app, { options }) {
      const email = normalEmail(requiredOption(options, 'email'));
      const plan = await app.plans.named(requiredOption(options, 'plan'));
      const password = options.password as string | undefined;
      if (password !== undefined) refuseUnfitPassword(password);
      const { accountId } = await openAccount(app, { email, plan });
      if (password !== undefined) await app.signIn.addPerson({ email, password, accountId });
      const now = app.clock.nowMs();
      const { apiKey } = await createApiKey(app.db, { accountId, name: 'First key', now });
      return {
        json: { account_id: accountId, email, plan: plan.name, api_key: apiKey },
        text: `Account ${accountId} for ${email}, plan ${plan.name}.\nAPI key, shown only now: ${apiKey}`,
      };
    },
  },
  {
    name: 'account list',
    words: [],
    usage: 'account list',
    on: 'app',
    async run(app) {
      const accounts = await listAccounts(app.db);
      const balances = await readBalances(
        app.db,
        accounts.map((account) => account.accountId),
      );
      const rows = accounts.map((account) => ({
        account_id: account.accountId,
        email: account.email,
        plan: balances.get(account.accountId)?.plan ?? null,
        created_at: isoTime(account.createdAtMs),
        closed_at: timeOrNull(account.closedAtMs),
      }));
      const heading = ['account', 'e-mail', 'plan', 'created', 'closed'];
      return { json: rows, text: table([heading, ...rows.map((row) => Object.values(row))]) };
    },
  },
];

export const keyCommands: readonly Command[] = [
  {
    name: 'key create',
    words: ['ACCOUNT'],
    usage: 'key create ACCOUNT [--name N]',
    options: { name: { type: 'string', default: 'Key' } },
    on: 'app',
    async run(app, { words, options }) {
      const { accountId, email } = await accountNamed(app.db, words[0] as string);
      const name = requiredOption(options, 'name');
      const { keyId, apiKey } = await createApiKey(app.db, {
        accountId,
        name,
        now: app.clock.nowMs(),
      });
      return {
        json: { key_id: keyId, api_key: apiKey },
        text: `Key ${keyId} for ${email}.\nAPI key, shown only now: ${apiKey}`,
      };
    },
  },
  {
    name: 'key list',
    words: ['ACCOUNT'],
    usage: 'key list ACCOUNT',
    on: 'app',
    async run(app, { words }) {
      const { accountId } = await accountNamed(app.db, words[0] as string);
      const rows = (await listApiKeys(app.db, accountId)).map((key) => ({
        key_id: key.keyId,
        name: key.name,
        hint: key.hint,
        created_at: isoTime(key.createdAtMs),
        last_used_at: timeOrNull(key.lastUsedAtMs),
        revoked_at: timeOrNull(key.revokedAtMs),
      }));
      const heading = ['key', 'name', 'begins', 'created', 'last used', 'revoked'];
      return { json: rows, text: table([heading, ...rows.map((row) => Object.values(row))]) };
    },
  },
  {
    name: 'key revoke',
    words: ['KEY_ID'],
    usage: 'key revoke KEY_ID',
    on: 'app',
    async run(app, { words }) {
      const keyId = words[0] as string;
      const accountId = await accountIdOfKey(app.db, keyId);
      const key = await revokeApiKey(app.db, { accountId, keyId, now: app.clock.nowMs() });
      return {
        json: { key_id: key.keyId, revoked_at: timeOrNull(key.revokedAtMs) },
        text: `Key ${key.keyId} (${key.name}) is revoked; it stops working within a second.`,
      };
    },
  },
];
