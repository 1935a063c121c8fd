// Finds a pooler in transaction mode that nobody mentioned in the settings: sessions would share
// their settings and named statements with others, at random.
import type pg from 'pg';
import { newId } from '../foundation/id.ts';
import type { Database } from './database.ts';
import { asFailure } from './failure.ts';

/** Each try tags a session; with more tries, other clients of the pooler are less in the way. */
const TRIES = 3;

/** Throws if two of our connections get the same session of the server in turn. */
export async function refuseHiddenPooler(db: Database): Promise<void> {
  const first = await db.connect();
  try {
    // A server reports its own process; a pooler reports a number of its own.
    const [row] = await ask<{ pid: number }>(first, 'select pg_backend_pid() as pid');
    if (row?.pid === (first as { processID?: number }).processID) return;
    const second = await db.connect();
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        const tag = newId();
        await ask(first, 'select set_config($1, $2, false)', [TAG, tag]);
        const seen = await ask<{ tag: string }>(second, 'select current_setting($1, true) as tag', [
          TAG,
        ]);
        if (seen[0]?.tag === tag) throw new Error(HIDDEN);
      }
    } finally {
      second.release(true);
    }
  } finally {
    first.release();
  }
}

const TAG = 'oversight.session';
const HIDDEN =
  'DATABASE_URL leads to a pooler in transaction mode: set DATABASE_POOLER to transaction, or let DATABASE_URL name the server.';

async function ask<Row>(client: pg.PoolClient, text: string, values: unknown[] = []) {
  try {
    return (await client.query(text, values)).rows as Row[];
  } catch (error) {
    throw asFailure(error);
  }
}
