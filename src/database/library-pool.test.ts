import { expect, test } from 'vitest';
import { cloneDatabase } from '../../test/support/database.ts';
import { libraryPool } from './library-pool.ts';

const { db } = await cloneDatabase();
const pool = libraryPool(db);

test('times are Dates for the library, and stay numbers for us', async () => {
  const client = await pool.connect();
  const { rows } = await client.query(`select timestamptz '2026-11-15T10:00:00Z' as at`);
  expect(rows).toEqual([{ at: new Date('2026-11-15T10:00:00Z') }]);
  client.release();
  const ours = await db.query(`select timestamptz '2026-11-15T10:00:00Z' as at`);
  expect(ours).toEqual([{ at: Date.parse('2026-11-15T10:00:00Z') }]);
});

test('a connection that breaks between two statements stops neither process nor pool', async () => {
  const client = await pool.connect();
  await client.query('begin');
  const { rows } = await client.query('select pg_backend_pid() as pid');
  await db.query('select pg_terminate_backend($1, 5000)', [rows[0].pid]);
  await expect(client.query('select 1')).rejects.toThrow();
  client.release();
  const next = await pool.connect();
  expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  next.release();
});
