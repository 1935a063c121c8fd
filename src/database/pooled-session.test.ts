// What a database does behind a pooler in transaction mode, seen without one: no session settings,
// no named statements, and defaults of the role instead.
import { expect, onTestFinished, test } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { createLog } from '../foundation/log.ts';
import { openDatabase, type Pooler, statement } from './database.ts';
import { setRoleDefaults, verifyPooledSettings } from './pooled-session.ts';

const { db, connection } = await cloneDatabase({ isDurable: false });

function open(pooler: Pooler) {
  const opened = openDatabase(connection, createLog('silent'), { pooler });
  onTestFinished(() => opened.close());
  return opened;
}

const PREPARED = 'select count(*) as n from pg_prepared_statements';
const LOCK_TIMEOUT = `select current_setting('lock_timeout') as text`;

test('a pooler without the settings is refused in one line that names them', async () => {
  const refusal = await verifyPooledSettings(open('transaction')).catch(String);
  expect(refusal).toMatch(
    /^Error: Sessions of the pooler .* statement_timeout is "0", .*RECONNECT.*\.$/,
  );
});

test('the defaults of the role reach every new session, and are written once', async () => {
  await setRoleDefaults(db);
  const written = () =>
    db.query(`select s.xmin::text as version from pg_db_role_setting s
                join pg_database d on d.oid = s.setdatabase where d.datname = current_database() and s.setrole <> 0`);
  const versions = await written();
  expect(versions).toHaveLength(1);
  await setRoleDefaults(db);
  expect(await written()).toEqual(versions);
  await verifyPooledSettings(open('transaction'));
});

test('a locked row stops a request after its timeout, but not the transaction of a loop', async () => {
  const pooled = open('transaction');
  const inTransaction = (on: typeof pooled) =>
    on.transaction(async (tx) => (await tx.query<{ text: string }>(LOCK_TIMEOUT))[0]?.text);
  expect(await inTransaction(pooled)).toBe(`${bounds.lockTimeoutMs / 1_000}s`);
  expect(await inTransaction(pooled.background)).toBe('0');
});

test.each([
  ['none', 1],
  ['transaction-prepared', 1],
  ['transaction', 0],
] as const)('with %s a session keeps %i named statement', async (pooler, count) => {
  const opened = open(pooler);
  const named = statement('one-more', 'select $1::integer + 1 as n');
  const rows = await opened.transaction(async (tx) => [
    ...(await tx.query<{ n: number }>(named, [1])),
    ...(await tx.query<{ n: number }>(PREPARED)),
  ]);
  expect(rows).toEqual([{ n: 2 }, { n: count }]);
});
