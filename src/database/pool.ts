// One pool of connections: opened when needed, set up alike, waited for while the server restarts, and thrown away when
// what is under way on them is not known.
import pg from 'pg';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import {
  asFailure,
  DatabaseAway,
  databaseAway,
  isConflict,
  isOutcomeUnknown,
  isRefusedForGood,
  spoilsConnection,
} from './failure.ts';
import { applySettings, types } from './session.ts';
import type { Statement, Transaction } from './statement.ts';

export type ConnectionSettings = pg.PoolConfig;

export type PoolUsage = { open: number; idle: number; waiting: number };

export type TransactionOptions = {
  /**
   * The work is done again after a connection that broke before the commit was sent, or a deadlock: it changes nothing
   * but through its transaction, as nearly all do. False for one that does.
   */
  repeat?: boolean;
  /** How long a connection is waited for, and the work repeated; bounds.readRetryMs unless said. */
  waitMaxMs?: number;
};

export type Pool = {
  query<Row>(what: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  read<Row>(what: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  connect(): Promise<pg.PoolClient>;
  usage(): PoolUsage;
  close(): Promise<void>;
};

export function openPool(
  settings: ConnectionSettings,
  log: Log,
  own: { max: number; lockTimeoutMs: number },
): Pool {
  let isClosed = false;
  const limits = {
    statementTimeoutMs: bounds.statementTimeoutMs,
    idleInTransactionTimeoutMs: bounds.idleInTransactionTimeoutMs,
    lockTimeoutMs: own.lockTimeoutMs,
  };
  const pool = new pg.Pool({
    connectionTimeoutMillis: bounds.connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'oversight',
    ...settings,
    max: own.max,
    types,
    // After connecting: a DATABASE_URL that has options of its own replaces any that are given here.
    onConnect: (client: pg.ClientBase) => applySettings(client, limits),
    // The server's own timeout comes first; this one is for a server that no longer responds at all.
    query_timeout: settings.query_timeout ?? bounds.statementTimeoutMs + 5_000,
  });
  pool.on('error', (error) => log.warn({ reason: error.message }, 'idle database connection lost'));

  /** A connection, waited for while the server restarts: nothing has been sent yet, so that nothing is in doubt. */
  const acquire = async (
    giveUpMs: number = monotonicMs() + bounds.readRetryMs,
  ): Promise<pg.PoolClient> => {
    for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
      try {
        return await pool.connect();
      } catch (error) {
        const isHopeless = isClosed || isRefusedForGood(error);
        if (isHopeless || monotonicMs() + waitMs > giveUpMs) throw databaseAway(error);
        await sleepMs(waitMs);
      }
    }
  };

  const query = async <Row>(
    what: Statement | string,
    values?: readonly unknown[],
    giveUpMs?: number,
  ): Promise<Row[]> => {
    const client = await acquire(giveUpMs);
    return withClient(client, () => run<Row>(client, what, values));
  };

  const attempt = async <T>(
    work: (tx: Transaction) => Promise<T>,
    giveUpMs: number,
  ): Promise<T> => {
    const client = await acquire(giveUpMs);
    return withClient(client, (spoil) => transact(client, spoil, work));
  };

  return {
    query,
    async read<Row>(what: Statement | string, values?: readonly unknown[]) {
      const giveUpMs = monotonicMs() + bounds.readRetryMs;
      for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
        try {
          return await query<Row>(what, values, giveUpMs);
        } catch (error) {
          if (!(error instanceof DatabaseAway)) throw error;
          // Whatever became of a read, nothing is in doubt.
          if (!mayPass(error) || monotonicMs() + waitMs > giveUpMs) throw databaseAway(error.cause);
          await sleepMs(waitMs);
        }
      }
    },
    async transaction(work, { repeat = true, waitMaxMs = bounds.readRetryMs } = {}) {
      const giveUpMs = monotonicMs() + waitMaxMs;
      for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
        try {
          return await attempt(work, giveUpMs);
        } catch (error) {
          const again = repeat && error instanceof NotCommitted;
          if (!again || monotonicMs() + waitMs > giveUpMs) throw error;
          await sleepMs(waitMs);
        }
      }
    },
    connect: () => acquire(),
    usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    async close() {
      if (isClosed) return;
      isClosed = true;
      await pool.end();
    },
  };
}

/** A transaction that ended before its commit was sent, through no fault of its work. */
class NotCommitted extends DatabaseAway {}

/** A lost connection comes back; a statement that takes too long would do so again. */
const mayPass = (error: DatabaseAway) => error.outcomeUnknown || isConflict(error);

async function run<Row>(
  client: pg.PoolClient,
  what: Statement | string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const config = typeof what === 'string' ? { text: what } : { name: what.name, text: what.text };
  try {
    const result = await client.query({ ...config, values: values as unknown[] });
    return result.rows as Row[];
  } catch (error) {
    throw asFailure(error);
  }
}

type Spoil = (error: Error) => void;

/** Gives the connection back afterwards, or ends it where something may still be under way on it. */
async function withClient<T>(
  client: pg.PoolClient,
  work: (spoil: Spoil) => Promise<T>,
): Promise<T> {
  let broken: Error | undefined;
  const spoil: Spoil = (error) => {
    broken ??= error;
  };
  // Without a listener an error between two statements of a transaction would end the process.
  client.on('error', spoil);
  try {
    return await work(spoil);
  } catch (error) {
    if (spoilsConnection(error)) spoil(error as Error);
    throw error;
  } finally {
    client.off('error', spoil);
    client.release(broken);
  }
}

async function transact<T>(
  client: pg.PoolClient,
  spoil: Spoil,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  /** What our own connection failed with: the work may also meet the errors of others. */
  let failure: unknown;
  const query: Transaction['query'] = async <Row>(
    what: Statement | string,
    values?: readonly unknown[],
  ) => {
    try {
      return await run<Row>(client, what, values);
    } catch (error) {
      failure = error;
      if (spoilsConnection(error)) spoil(error as Error);
      throw error;
    }
  };
  let result: T;
  try {
    // Said each time: behind a pooler a session's default may be another's.
    await query('begin isolation level read committed');
    result = await work({ inTransaction: true, query });
  } catch (error) {
    const isGone = isOutcomeUnknown(failure);
    if (!isGone) await client.query('rollback').catch(spoil);
    // Before the commit was sent nothing has been done, whatever became of the last statement.
    const isOurs = error === failure && (isGone || isConflict(failure));
    throw isOurs ? new NotCommitted((error as DatabaseAway).cause, NOTHING_DONE) : error;
  }
  await commit(client);
  return result;
}

const NOTHING_DONE = { outcomeUnknown: false };

async function commit(client: pg.PoolClient): Promise<void> {
  const ended = await client.query('commit').catch((error) => {
    throw asFailure(error);
  });
  // The server says so, without an error, when a statement had failed and the work went on all the same.
  if (ended.command !== 'COMMIT') throw new Error('a failed statement undid the transaction');
}
