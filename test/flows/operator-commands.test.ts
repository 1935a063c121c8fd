// Operator commands against DATABASE_URL: their output and exit codes. Operators' scripts rely on
// the members that --json prints.
import { mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCallers } from '../../src/accounts/callers.ts';
import { createOperatorTokens } from '../../src/accounts/operator-tokens.ts';
import { buildApp } from '../../src/app.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { openAccount } from '../../src/credits/open-account.ts';
import type { Database } from '../../src/database/database.ts';
import { listMigrations, migrate } from '../../src/database/migrate.ts';
import { writeFact } from '../../src/database/service-facts.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { monotonicMs, realClock, realNowMs } from '../../src/foundation/clock.ts';
import { isId, newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { looksLikeSecret } from '../../src/foundation/secret.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { type Done, runAsProcess, runInProcess } from '../support/command.ts';
import { cloneDatabase } from '../support/database.ts';
import { emptyDatabase } from '../support/empty-database.ts';
import { createShelfSource, shelfSnapshots } from '../support/shelf.ts';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const { db, url } = await cloneDatabase();
const [restored, empty, fresh, lapse] = [
  await emptyDatabase(),
  await emptyDatabase(),
  await emptyDatabase(),
  await emptyDatabase(),
];
const folder = await mkdtemp(join(tmpdir(), 'oversight-commands-'));
afterAll(() => rm(folder, { recursive: true }));

/** Runs a command in this process; starting Node each time would take longer than all commands. */
const run = (words: readonly string[], env: Record<string, string> = {}): Promise<Done> =>
  runInProcess(words, { DATABASE_URL: url, DATA_DIR: folder, ...env });

// biome-ignore lint/suspicious/noExplicitAny: tests read untyped JSON
type Json = any;

/** Runs a command that must succeed and returns the one line that --json printed. */
async function json(words: readonly string[], env: Record<string, string> = {}): Promise<Json> {
  const done = await run([...words, '--json'], env);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(done.out.trimEnd()).not.toContain('\n');
  return JSON.parse(done.out);
}

/** Runs a command that must be refused: exit 1, empty standard output, one line with the reason. */
async function refusal(words: readonly string[], env: Record<string, string> = {}) {
  const done = await run(words, env);
  expect(done).toMatchObject({ code: 1, out: '' });
  expect(done.err.trimEnd().split('\n')).toHaveLength(1);
  return done.err.trimEnd();
}

const members = (value: object) => Object.keys(value).sort();
const newEmail = () => `${newId()}@example.com`;
const log = createLog('silent');
const source = createShelfSource([]);

/** Opens an account as the service does. */
async function account(on: Database = db): Promise<{ accountId: string; email: string }> {
  const app = buildApp({ db: on, clock: realClock, log, source, settings: { REDIS_URL: null } });
  const opened = await openAccount(app, { email: newEmail(), plan: await app.plans.named('Free') });
  await app.close();
  return opened;
}

/** Whether the key is accepted, without a cache. */
const isAccepted = async (apiKey: string) =>
  (await createCallers({ db, clock: realClock }).identify(apiKey, { ip: '127.0.0.1' })) !== null;

describe.concurrent('account', () => {
  test('create prints the account and its key once; plan names ignore case', async () => {
    const email = newEmail();
    const made = await json([
      'account',
      'create',
      '--email',
      ` ${email.toUpperCase()} `,
      '--plan',
      'pRO',
    ]);
    expect(members(made)).toEqual(['account_id', 'api_key', 'email', 'plan']);
    expect(made).toMatchObject({ email, plan: 'Pro' });
    expect(isId(made.account_id)).toBe(true);
    expect(looksLikeSecret('ovs_', made.api_key)).toBe(true);
    expect(await isAccepted(made.api_key)).toBe(true);

    const listed = await json(['account', 'list']);
    const listedAccount = listed.find((one: Json) => one.account_id === made.account_id);
    expect(listedAccount).toEqual({
      account_id: made.account_id,
      email,
      plan: 'Pro',
      created_at: expect.stringMatching(TIME),
      closed_at: null,
    });
    expect(JSON.stringify(listed)).not.toContain(made.api_key);

    const again = await refusal(['account', 'create', '--email', email]);
    expect(again).toBe(`There is an account for ${email} already.`);
  });

  test('create uses the plan Free by default and prints text without --json', async () => {
    const email = newEmail();
    const { code, out, err } = await run(['account', 'create', '--email', email]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      new RegExp(`for ${email}, plan Free.\\nAPI key, shown only now: ovs_\\w+\\n$`),
    );
  });

  test.each([
    ['an unknown plan', ['--email', 'a@example.com', '--plan', 'Gold'], 'There is no plan "Gold"'],
    ['an invalid address', ['--email', 'nobody'], '"nobody" is not a valid e-mail address.'],
  ])('create refuses %s', async (_, options, line) => {
    expect(await refusal(['account', 'create', ...options])).toContain(line);
  });

  test('close keeps the time of the first closure', async () => {
    const { accountId, email } = await account();
    const closed = await json(['account', 'close', accountId]);
    expect(closed).toEqual({
      account_id: accountId,
      closed_at: expect.stringMatching(TIME),
      closed_by: 'operator',
      delete_at: null,
    });
    expect(await json(['account', 'close', email])).toEqual(closed);
    const reopened = await json(['account', 'reopen', email]);
    expect(reopened).toMatchObject({ account_id: accountId, closed_at: null, closed_by: null });
  });
});

describe.concurrent('key', () => {
  test('create, list and revoke, with the account by id or e-mail', async () => {
    const { accountId, email } = await account();
    const [one, other] = await Promise.all([
      json(['key', 'create', accountId, '--name', 'Repricer']),
      json(['key', 'create', email.toUpperCase()]),
    ]);
    for (const made of [one, other]) {
      expect(members(made)).toEqual(['api_key', 'key_id']);
      expect(await isAccepted(made.api_key)).toBe(true);
    }

    const revoked = await json(['key', 'revoke', one.key_id]);
    expect(revoked).toEqual({ key_id: one.key_id, revoked_at: expect.stringMatching(TIME) });
    expect([await isAccepted(one.api_key), await isAccepted(other.api_key)]).toEqual([false, true]);

    const [again, listed] = await Promise.all([
      json(['key', 'revoke', one.key_id]),
      json(['key', 'list', email]),
    ]);
    expect(again).toEqual(revoked);
    const key = { created_at: expect.stringMatching(TIME), last_used_at: null };
    expect(listed.sort((a: Json) => (a.key_id === one.key_id ? -1 : 1))).toEqual([
      {
        ...key,
        key_id: one.key_id,
        name: 'Repricer',
        hint: `${one.api_key.slice(0, 8)}…`,
        revoked_at: revoked.revoked_at,
      },
      {
        ...key,
        key_id: other.key_id,
        name: 'Key',
        hint: `${other.api_key.slice(0, 8)}…`,
        revoked_at: null,
      },
    ]);
  });

  test.each([
    [['key', 'create', 'nobody@example.com'], 'There is no account nobody@example.com.'],
    [['key', 'list', '0190a000-0000-7000-8000-000000000001'], 'There is no account 0190a000'],
    [['key', 'revoke', '0190a000-0000-7000-8000-000000000001'], 'There is no key 0190a000'],
  ])('%j is refused', async (words, line) => {
    expect(await refusal(words)).toContain(line);
  });
});

describe.concurrent('credits', () => {
  test('plan set and credits grant print the new state', async () => {
    const { accountId, email } = await account();
    const state = {
      account_id: accountId,
      email,
      plan: 'Free',
      next_plan: null,
      credits: { total: 1000, used_this_month: 0, remaining: 1000 },
      current_period_start: expect.stringMatching(TIME),
      next_refresh_date: expect.stringMatching(TIME),
    };
    expect(await json(['credits', 'grant', email, '250', '--reason', 'sorry'])).toEqual({
      ...state,
      credits: { total: 1250, used_this_month: 0, remaining: 1250 },
    });
    expect(await json(['plan', 'set', accountId, 'starter'])).toEqual({
      ...state,
      plan: 'Starter',
      credits: { total: 25_000, used_this_month: 0, remaining: 25_000 },
    });
    expect(await json(['plan', 'set', email, 'FREE'])).toEqual({
      ...state,
      plan: 'Starter',
      next_plan: 'Free',
      credits: { total: 25_000, used_this_month: 0, remaining: 25_000 },
    });
    const entries = await db.query<{ kind: string; operation: string | null }>(
      'select kind, operation from ledger_entries where account_id = $1 order by at, id',
      [accountId],
    );
    expect(entries.map(({ kind }) => kind).sort()).toEqual(['grant', 'refresh', 'refresh']);
    expect(entries.find(({ kind }) => kind === 'grant')?.operation).toBe('sorry');
  });

  test('limits set raises one bucket or all', async () => {
    const { accountId, email } = await account();
    const set = (...more: string[]) =>
      json(['limits', 'set', email, '--requests-per-second', ...more]);
    expect(await set('50', '--bucket', 'product')).toEqual({
      account_id: accountId,
      requests_per_second: { product: 50 },
    });
    expect(await set('20')).toEqual({
      account_id: accountId,
      requests_per_second: { product: 20, details: 20, account: 20 },
    });
  });

  test('a grant of nothing and an unknown plan are refused', async () => {
    const { email } = await account();
    const [grant, plan] = await Promise.all([
      refusal(['credits', 'grant', email, '0', '--reason', 'none']),
      refusal(['plan', 'set', email, 'Gold']),
    ]);
    expect(grant).toContain('Credits must be a whole number from 1 to');
    expect(plan).toBe('There is no plan "Gold"; there are Free, Starter, Pro, Scale.');
  });
});

describe('token', () => {
  test('create and revoke; only the hash is stored', async () => {
    const made = await json(['token', 'create', '--scope', 'metrics']);
    expect(members(made)).toEqual(['token', 'token_id']);
    const opens = (scope: 'metrics' | 'ingest') =>
      createOperatorTokens(db).opens({ token: made.token, scope, from: { ip: '127.0.0.1' } });
    expect(await opens('metrics')).toBe(true);
    expect(await opens('ingest')).toBe(false);
    const [row] = await db.query<Json>('select * from operator_tokens where token_id = $1', [
      made.token_id,
    ]);
    expect(JSON.stringify(row)).not.toContain(made.token.slice(4, 20));
    expect(await json(['token', 'revoke', made.token_id])).toMatchObject({
      token_id: made.token_id,
    });
    expect(await opens('metrics')).toBe(false);
    expect(await refusal(['token', 'revoke', newId()])).toContain('There is no token');
  });
});

/** Text that a backup must restore unchanged although it looks like the markers of its format. */
const AWKWARD = 'Tab\t, line\nbreak, \\. back\\slash, \\N, "quote", ü, 🫖, \u2028 and \r\n\u2029';

describe('products, backup and restore, doctor', () => {
  const file = (name: string) => join(folder, name);
  beforeAll(async () => {
    const snapshots = shelfSnapshots(Date.parse('2026-11-14T12:00:00.000Z')).map(
      (snapshot, index) =>
        index === 5 ? { ...snapshot, name: AWKWARD, gtins: [], rank: undefined } : snapshot,
    );
    await recordSnapshots({ db, log }, snapshots);
    // Ledger entries of several months, in several partitions.
    const { accountId } = await account();
    const clock = { nowMs: () => Date.parse('2027-05-06T07:08:09.123Z'), speed: 1 };
    const app = buildApp({ db, clock, log, source, settings: { REDIS_URL: null } });
    for (const cost of [3, 4]) {
      const id = newId();
      const about = { operation: 'details', productCode: '500100001', reference: id };
      const charge = {
        accountId,
        id,
        atMs: clock.nowMs(),
        kind: 'request' as const,
        credits: -cost,
      };
      expect(await app.charging.charge({ ...charge, ...about })).toMatchObject({ booked: true });
    }
    await app.close();
  });

  test('products lists the catalogue, best sellers first', async () => {
    const listed = await json(['products', '--limit', '100']);
    expect(listed).toHaveLength(12);
    for (const one of listed) {
      expect(Object.keys(one)).toEqual(['retailer_product_code', 'upc', 'ean', 'product_name']);
    }
    expect(listed[0]).toEqual({
      retailer_product_code: '500100001',
      upc: expect.stringMatching(/^\d{12}$/),
      ean: expect.stringMatching(/^0\d{12}$/),
      product_name: 'Marlowe Gooseneck Kettle 1.0 l, Matte Black',
    });
    // A product without a rank comes last; this one has no GTIN.
    expect(listed[11]).toMatchObject({ upc: null, ean: null, product_name: AWKWARD });
    expect(await json(['products', '--limit', '3'])).toEqual(listed.slice(0, 3));
  });

  /** Returns the rows of all tables except schema_migrations, which a restore does not copy. */
  async function contentOf(on: Database): Promise<Record<string, unknown>> {
    const names = await on.query<{ name: string }>(
      `select relname as name from pg_class
        where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
          and not relispartition and relname <> 'schema_migrations' order by 1`,
    );
    const content: Record<string, unknown> = {};
    for (const { name } of names) {
      content[name] = await on.query(`select * from ${name} t order by t::text`);
    }
    return content;
  }

  test('a backup restored into an empty database contains every row', async () => {
    const path = file('whole.backup');
    const startedAtMs = monotonicMs();
    const backup = await json(['backup', path]);
    // The command ends when it is done; a timer left running would keep the process alive longer.
    expect(monotonicMs() - startedAtMs).toBeLessThan(bounds.statementTimeoutMs);
    const content = await contentOf(db);
    const rows = Object.values(content).reduce<number>((n, some) => n + (some as []).length, 0);
    expect(backup).toEqual({ file: path, rows });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await readdir(folder)).sort()).toEqual(['whole.backup']);

    const env = { DATABASE_URL: restored.url };
    expect(await json(['restore', path], env)).toEqual({ file: path, rows });
    expect(await contentOf(restored.db)).toEqual(content);
    const [doctor, again] = await Promise.all([
      json(['doctor'], env),
      refusal(['restore', path], env),
    ]);
    expect(doctor.ok).toBe(true);
    expect(again).toMatch(
      /^The database is not empty: \w+ has rows\. Restore into a new database\.$/,
    );
  });

  test('restore refuses a missing file and a file that is not a backup', async () => {
    const env = { DATABASE_URL: empty.url };
    await writeFile(file('plain'), 'not compressed');
    await writeFile(file('other'), gzipSync('compressed, but something else\n'));
    const lines = await Promise.all([
      refusal(['restore', file('plain')], env),
      refusal(['restore', file('other')], env),
      refusal(['restore', file('nothing')], env),
    ]);
    expect(lines[0]).toContain('not written by the backup command');
    expect(lines[1]).toContain('not written by the backup command');
    expect(lines[2]).toContain('nothing');
  });

  test('a backup that cannot be written is refused in one line and leaves no file', async () => {
    await mkdir(file('occupied'));
    const [noFolder, occupied, emptyDatabase] = await Promise.all([
      refusal(['backup', file('no-folder/backup')]),
      refusal(['backup', file('occupied')]),
      refusal(['backup', file('empty')], { DATABASE_URL: empty.url }),
    ]);
    expect(noFolder).toContain('no-folder');
    expect(occupied).toContain('occupied');
    expect(emptyDatabase).toContain('nothing to back up');
    expect((await readdir(folder)).filter((name) => /empty|part/.test(name))).toEqual([]);
  });

  test('a backup of a database that a newer release has migrated is left to that release', async () => {
    const { db: expanded, url } = await cloneDatabase();
    const newest = (await listMigrations()).at(-1)?.version ?? 0;
    await expanded.query(
      `insert into schema_migrations (version, name, applied_at, needs_version)
       values ($1, 'next', now(), 0)`,
      [newest + 1],
    );
    const line = await refusal(['backup', file('newer')], { DATABASE_URL: url });
    expect(line).toBe(
      `The database has schema version ${newest + 1}; this release knows up to ${newest}. Back it up with the newer release.`,
    );
  });

  test('doctor reports missing migrations; migrate applies them', async () => {
    const env = { DATABASE_URL: fresh.url };
    const migrations = await listMigrations();
    const [names, version] = [migrations.map(({ name }) => name), migrations.at(-1)?.version];
    const before = await run(['doctor', '--json'], env);
    expect(before.code).toBe(1);
    const checks: Json[] = JSON.parse(before.out).checks;
    expect(checks.find(({ name }) => name === 'migrations')).toMatchObject({
      ok: false,
      advice: expect.stringContaining('migrate'),
    });
    expect(await json(['migrate'], env)).toEqual({ applied: names, version });
    const [again, after] = await Promise.all([json(['migrate'], env), json(['doctor'], env)]);
    expect(again).toEqual({ applied: [], version });
    expect(after.ok).toBe(true);
  });

  test('doctor finds a balance that contradicts its ledger, and a row in a wrong lane', async () => {
    const healthy = await json(['doctor']);
    expect(members(healthy)).toEqual(['checks', 'ok']);
    expect(healthy.checks.map((check: Json) => check.name)).toEqual([
      'database',
      'migrations',
      'lanes',
      'distribution',
      'ledger',
      'days',
      'unresolved',
      'key',
      'secrets',
      'clock',
      'redis',
      'marketplace',
      'fees',
      'quarantine',
      'proxy',
      'search',
    ]);
    const { accountId } = await account();
    await db.query('update balances set used = used + 7 where account_id = $1', [accountId]);
    await db.query(
      `insert into account_emails (lane, email, account_id) values (0, 'stray@example.com', $1)`,
      [accountId],
    );
    const [asJson, asText] = await Promise.all([run(['doctor', '--json']), run(['doctor'])]);
    expect([asJson.code, asText.code]).toEqual([1, 1]);
    const report: Json = JSON.parse(asJson.out);
    const bad = report.checks.filter((check: Json) => !check.ok);
    expect(report.ok).toBe(false);
    expect(bad.map((check: Json) => check.name)).toEqual(['lanes', 'ledger']);
    expect(bad[0].detail).toContain('account_emails: 1');
    expect(bad[1].detail).toContain(`${accountId}: used 7, entries say 0`);
    for (const check of bad) expect(check.advice).toMatch(/\w/);
    expect(asText.out).toMatch(/^BAD {2}ledger/m);
  });
});

describe('time', () => {
  const businessMs = Date.parse('2030-01-02T03:04:05.678Z');
  /** Stores what a service in time lapse stores: its anchor and its last heartbeat. */
  const remember = (realMs: number, seenRealMs: number, stopped: boolean) =>
    writeFact(
      lapse.db,
      'time-lapse',
      JSON.stringify({ businessMs, realMs, speed: 3600, seenRealMs, stopped }),
    );
  const env = { DATABASE_URL: lapse.url };
  const openedAtMs = async () => {
    const { account_id } = await json(['account', 'create', '--email', newEmail()], env);
    const [row] = await lapse.db.query<{ created_at: number }>(
      'select created_at from accounts where account_id = $1',
      [account_id],
    );
    return row?.created_at;
  };

  test('does not advance for commands while a service in time lapse is stopped', async () => {
    await migrate(lapse.db, realNowMs());
    const stoppedAtMs = realNowMs() - HOUR_MS;
    await remember(stoppedAtMs, stoppedAtMs, true);
    expect([await openedAtMs(), await openedAtMs()]).toEqual([businessMs, businessMs]);
  });

  test('is that of the running service', async () => {
    const sinceMs = realNowMs();
    // A heartbeat an hour ahead: the service counts as running however slow this machine is.
    await remember(sinceMs, sinceMs + HOUR_MS, false);
    const atMs = await openedAtMs();
    expect(atMs).toBeGreaterThan(businessMs);
    expect(atMs).toBeLessThanOrEqual(businessMs + (realNowMs() - sinceMs) * 3600);
  });
});

describe.concurrent('errors', () => {
  // First, because it takes five seconds: commands wait that long for a restarting server.
  test('an unreachable database is reported in one line without its password', async () => {
    const nowhere = 'postgres://someone:hunter2@127.0.0.1:1/none';
    const line = await refusal(['account', 'list'], { DATABASE_URL: nowhere });
    expect(line).toContain('The database cannot be used: connect ECONNREFUSED');
    expect(line).not.toContain('hunter2');
  });

  test('a bad setting is reported in one line', async () => {
    expect(await refusal(['account', 'list'], { CLOCK_SPEED: 'fast' })).toBe(
      'CLOCK_SPEED is "fast", but must be a whole number from 1 to 86400.',
    );
  });

  test('a command run as a process prints and exits the same', async () => {
    const env = { DATABASE_URL: url, DATA_DIR: folder };
    for (const words of [
      ['plan', 'list'],
      ['--help'],
      ['fly'],
      ['key', 'list', 'nobody@example.com'],
    ]) {
      expect(await runAsProcess(words, env)).toEqual(await run(words));
    }
  });

  test('help lists every command and needs no database', async () => {
    const { code, out } = await run(['--help'], { DATABASE_URL: '' });
    expect(code).toBe(0);
    for (const usage of [
      'account create --email E',
      'account list',
      'account close ACCOUNT',
      'key create ACCOUNT',
      'key list ACCOUNT',
      'key revoke KEY_ID',
      'plan set ACCOUNT PLAN',
      'credits grant ACCOUNT N --reason R',
      'limits set ACCOUNT',
      'token create --scope ingest|metrics',
      'token revoke ID',
      'products [--limit N]',
      'backup FILE',
      'restore FILE',
      'migrate',
      'doctor',
    ]) {
      expect(out).toContain(`  ${usage}`);
    }
  });

  test.each([
    [[]],
    [['fly']],
    [['account', 'create', '--email', 'a@example.com', '--colour', 'red']],
    [['key', 'create']],
    [['key', 'list', 'a@example.com', 'b@example.com']],
    [['credits', 'grant', 'a@example.com', 'many', '--reason', 'x']],
    [['credits', 'grant', 'a@example.com', '5']],
    [['limits', 'set', 'a@example.com', '--requests-per-second', '5', '--bucket', 'x']],
    [['token', 'create', '--scope', 'all']],
    [['products', '--limit', '-1']],
  ])('wrong usage %j exits 2, changes nothing and shows the usage', async (words) => {
    const { code, out, err } = await run(words);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain('Usage: npm run -s oversight -- COMMAND');
  });
});
