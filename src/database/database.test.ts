// The database layer: times survive any server setting, broken statements are repeated or reported
// as 503, and heavy reads take no connection from other requests.
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test } from 'vitest';
import { startCuttingProxy } from '../../test/support/cutting-proxy.ts';
import { cloneDatabase, onServer } from '../../test/support/database.ts';
import { newId } from '../foundation/id.ts';
import { createLog } from '../foundation/log.ts';
import { type ConnectionSettings, heavyStatement, openDatabase } from './database.ts';
import { isOutcomeUnknown } from './failure.ts';
import { libraryPool } from './library-pool.ts';
import { parseTime, verifySettings } from './session.ts';

const { db, connection, url } = await cloneDatabase();
const proxy = await startCuttingProxy(inject('postgres'));
afterAll(() => proxy.close());
afterEach(() => {
  proxy.fateOf = () => 'pass';
  proxy.comeBack();
});

/** Closed at the end of the test. */
function open(settings: ConnectionSettings) {
  const opened = openDatabase(settings, createLog('silent'));
  onTestFinished(() => opened.close());
  return opened;
}

const throughProxy = { ...connection, ...proxy.connection };
const away = expect.objectContaining({ kind: 'temporarily_unavailable' });

describe('session settings', () => {
  const ODD = ['-c timezone=America/New_York', '-c datestyle=German', '-c extra_float_digits=-15'];
  ODD.push('-c bytea_output=escape', '-c default_transaction_isolation=serializable');

  const times = [
    '2026-03-08T07:30:00.123Z',
    '2026-07-01T00:00:00.000Z',
    '0001-01-01T00:00:00.000Z',
  ];

  /** Values that depend on a setting, read by us and by the library. */
  async function expectRight(opened: typeof db): Promise<void> {
    for (const time of times) {
      const rows = await opened.query('select $1::timestamptz as at', [time]);
      expect(rows).toEqual([{ at: Date.parse(time) }]);
      const client = await libraryPool(opened).connect();
      const read = await client.query('select $1::timestamptz as at', [time]);
      client.release();
      expect(read.rows).toEqual([{ at: new Date(time) }]);
    }
    expect(
      await opened.query(
        `select 0.1::float8 + 0.2 as sum, '\\x00ff'::bytea as bytes,
                current_setting('transaction_isolation') as isolation,
                current_setting('statement_timeout') as timeout`,
      ),
    ).toEqual([
      { sum: 0.1 + 0.2, bytes: Buffer.from([0, 255]), isolation: 'read committed', timeout: '15s' },
    ]);
    await verifySettings(opened);
  }

  test('options in DATABASE_URL do not move times', async () => {
    const options = encodeURIComponent(ODD.join(' '));
    await expectRight(open({ connectionString: `${url}&options=${options}` }));
  });

  test('settings of the role do not move times', async () => {
    const role = `role_${newId().replaceAll('-', '')}`;
    await onServer(async (client) => {
      await client.query(`create role ${role} login superuser password 'secret'`);
      for (const option of ODD) {
        const [name, value] = option.slice(3).split('=');
        await client.query(`alter role ${role} set ${name} = '${value}'`);
      }
    });
    const opened = openDatabase(
      { ...connection, user: role, password: 'secret' },
      createLog('silent'),
    );
    onTestFinished(async () => {
      await opened.close();
      await onServer((client) => client.query(`drop role ${role}`));
    });
    await expectRight(opened);
  });

  test('refuses a session that loses them, and says what to do', async () => {
    const opened = open(connection);
    await opened.transaction(async (tx) => {
      await tx.query(`set local timezone = 'America/New_York'`);
      await expect(verifySettings(tx)).rejects.toThrow(
        /TimeZone is "America\/New_York".*alter role current_user set TimeZone = 'UTC'/,
      );
    });
  });

  test('in any time zone a time is read as the same instant', async () => {
    await db.transaction(async (tx) => {
      for (const zone of ['America/New_York', 'Asia/Kathmandu', 'Europe/Amsterdam', 'UTC']) {
        await tx.query(`set local timezone = '${zone}'`);
        for (const time of [...times.slice(0, 2), '1905-01-01T00:00:00.000Z']) {
          const rows = await tx.query('select $1::timestamptz as at', [time]);
          expect({ zone, rows }).toEqual({ zone, rows: [{ at: Date.parse(time) }] });
        }
      }
      await tx.query(`set local datestyle = 'German'`);
      await expect(tx.query('select $1::timestamptz as at', [times[0]])).rejects.toThrow(
        'which is not ISO 8601',
      );
    });
  });

  test.each([
    ['2026-11-15 01:30:49.123+00', Date.parse('2026-11-15T01:30:49.123Z')],
    ['2026-11-15 01:30:49.123456+05:45', Date.parse('2026-11-14T19:45:49.123Z')],
    ['12026-11-15 00:00:00-03', Date.parse('+012026-11-15T03:00:00Z')],
    ['infinity', Number.POSITIVE_INFINITY],
  ])('%s', (text, ms) => {
    expect(parseTime(text)).toBe(ms);
  });

  test.each([
    '15.11.2026 02:30:49.123 CET',
    'Sun Nov 15 02:30:49 2026 EST',
    '0044-03-15 00:00:00+00 BC',
  ])('%s is refused, not guessed', (text) => {
    expect(() => parseTime(text)).toThrow('which is not ISO 8601');
  });
});

describe('a connection that breaks', () => {
  const counter = async (): Promise<string> => {
    const name = `counted_${newId().replaceAll('-', '')}`;
    await db.query(`create table ${name} (id text)`);
    return name;
  };
  const countIn = async (table: string) => (await db.query(`select from ${table}`)).length;

  test('before a statement is sent: it is sent when the server is back', async () => {
    const opened = open(throughProxy);
    const table = await counter();
    proxy.goAway();
    setTimeout(() => proxy.comeBack(), 200);
    await opened.query(`insert into ${table} values ('once')`);
    expect(await countIn(table)).toBe(1);
  });

  test('in a single write: 503, and its outcome counts as unknown', async () => {
    const opened = open(throughProxy);
    const table = await counter();
    proxy.fateOf = ({ text }) => (text.startsWith('insert') ? 'after' : 'pass');
    const error = await opened.query(`insert into ${table} values ($1)`, ['x']).catch((e) => e);
    expect(error).toEqual(away);
    expect(isOutcomeUnknown(error)).toBe(true);
    expect(await countIn(table)).toBe(1);
  });

  test('before a commit: nothing took effect, and repeatable work is repeated', async () => {
    const opened = open(throughProxy);
    const table = await counter();
    let cuts = 0;
    proxy.fateOf = ({ text }) => (text.startsWith('insert') && cuts++ === 0 ? 'after' : 'pass');
    const insert = (options?: { repeat: boolean }) =>
      opened.transaction((tx) => tx.query(`insert into ${table} values ($1)`, ['x']), options);
    const error = await insert({ repeat: false }).catch((e) => e);
    expect(error).toEqual(away);
    expect(isOutcomeUnknown(error)).toBe(false);
    expect(await countIn(table)).toBe(0);
    cuts = 0;
    await insert();
    expect(await countIn(table)).toBe(1);
  });

  test.each(['before', 'after'] as const)(
    '%s a commit was made: 503, never repeated',
    async (fate) => {
      const opened = open(throughProxy);
      const table = await counter();
      proxy.fateOf = ({ text }) => (text === 'commit' ? fate : 'pass');
      let runs = 0;
      const work = opened.transaction(
        (tx) => {
          runs += 1;
          return tx.query(`insert into ${table} values ('x')`);
        },
        { repeat: true },
      );
      const error = await work.catch((e) => e);
      expect(error).toEqual(away);
      expect(isOutcomeUnknown(error)).toBe(true);
      expect([runs, await countIn(table)]).toEqual([1, fate === 'after' ? 1 : 0]);
    },
  );

  test('a transaction that ignores a failed statement does not count as committed', async () => {
    const table = await counter();
    const work = db.transaction(async (tx) => {
      await tx.query(`insert into ${table} values ('x')`);
      await tx.query('select 1 / 0').catch(() => {});
    });
    await expect(work).rejects.toThrow('a failed statement undid the transaction');
    expect(await countIn(table)).toBe(0);
  });

  test('a lock timeout and a statement timeout are 503', async () => {
    await db.transaction(async (tx) => {
      await tx.query('lock table plans in access exclusive mode');
      const waits = db.transaction(async (other) => {
        await other.query(`set local lock_timeout = '20ms'`);
        await other.query('select from plans');
      });
      await expect(waits).rejects.toEqual(away);
    });
    const slow = db.transaction(async (tx) => {
      await tx.query(`set local statement_timeout = '20ms'`);
      await tx.query('select pg_sleep(10)');
    });
    await expect(slow).rejects.toEqual(away);
  });
});

describe('pools', () => {
  const LOCK = heavyStatement('test-lock', 'select pg_advisory_xact_lock_shared(42)');

  test('heavy reads that use all heavy connections do not delay others', async () => {
    const opened = open(connection);
    const reads: Promise<unknown>[] = [];
    await db.transaction(async (tx) => {
      await tx.query('select pg_advisory_xact_lock(42)');
      for (let count = 0; count < 20; count++) reads.push(opened.read(LOCK));
      while (opened.usage().heavy.waiting < 16) await new Promise(setImmediate);
      for (let count = 0; count < 20; count++) {
        await opened.transaction((other) => other.query('select 1'));
        await opened.background.query('select 1');
      }
      expect(opened.usage().heavy.waiting).toBe(16);
    });
    await Promise.all(reads);
  });

  const SLEEP = heavyStatement('test-sleep', 'select pg_sleep(0.01)');

  test('a process takes 12 connections at most, however many queries run', async () => {
    const opened = open(connection);
    const queries = Array.from({ length: 50 }, () => [
      opened.query('select pg_sleep(0.01)'),
      opened.read(SLEEP),
      opened.background.query('select pg_sleep(0.01)'),
      opened.background.read(SLEEP),
    ]).flat();
    await Promise.all(queries);
    const { hot, heavy, background } = opened.usage();
    expect([hot.open, heavy.open, background.open]).toEqual([5, 4, 3]);
  });
});
