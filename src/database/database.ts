// The database as the house uses it: statements by name, reads that survive a lost connection, and
// transactions that are handed on as a parameter. Backed by `pg` on an embedded or a given server.
import pg from 'pg';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { Problem } from '../foundation/problem.ts';

/** A statement with a name is prepared once in each connection. */
export type Statement = { readonly name: string; readonly text: string };

export function statement(name: string, text: string): Statement {
  return { name, text };
}

export type Connection = {
  query<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
};

/** A connection inside BEGIN … COMMIT. Functions that need one ask for it, never open it themselves. */
export type Transaction = Connection & { readonly inTransaction: true };

export type Database = Connection & {
  /** A query that changes nothing: tried again on a new connection while the server restarts. */
  read<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** One raw connection for what outlives a query: COPY, LISTEN-free locks. Released by the callee. */
  connect(): Promise<pg.PoolClient>;
  usage(): { open: number; idle: number; waiting: number };
  close(): Promise<void>;
};

export type ConnectionSettings = pg.PoolConfig;

// What the parsers below turn into: bigint → number (ours stay under 2^53), timestamptz → epoch ms.
const INT8 = 20;
const TIMESTAMPTZ = 1184;
const parsers: Record<number, (text: string) => unknown> = {
  [INT8]: Number,
  // '2026-11-15 01:30:49.123+00', always UTC because the session says so
  [TIMESTAMPTZ]: (text) => Date.parse(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`),
};
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format !== 'binary' && parsers[oid as number]) || pg.types.getTypeParser(oid, format),
};

const SQLSTATE = /^[0-9A-Z]{5}$/;

/**
 * Whether the error leaves open what became of the statement: the connection went away, or its answer
 * did not come. A FATAL error may follow a commit that was made (the backend was told to end between
 * committing and answering), so it counts as well.
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as Error & { code?: unknown; severity?: unknown };
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  if (typeof code === 'string' && SQLSTATE.test(code) && code !== 'EPIPE') {
    return code.startsWith('08') || code.startsWith('57P');
  }
  return !(error instanceof TypeError) && !(error instanceof Problem);
}

export function openDatabase(settings: ConnectionSettings, log: Log): Database {
  const pool = new pg.Pool({
    max: bounds.databaseConnectionsMax,
    connectionTimeoutMillis: bounds.connectTimeoutMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    application_name: 'oversight',
    ...settings,
    types,
    options: [
      settings.options,
      '-c timezone=UTC',
      `-c statement_timeout=${bounds.statementTimeoutMs}`,
      `-c idle_in_transaction_session_timeout=${bounds.idleInTransactionTimeoutMs}`,
    ]
      .filter(Boolean)
      .join(' '),
    // The server's own timeout answers first; this one is for a server that no longer answers at all.
    query_timeout: settings.query_timeout ?? bounds.statementTimeoutMs + 5_000,
  });
  pool.on('error', (error) => log.warn({ reason: error.message }, 'idle database connection lost'));

  const run = async <Row>(
    on: pg.Pool | pg.PoolClient,
    what: Statement | string,
    values: readonly unknown[] = [],
  ): Promise<Row[]> => {
    const config = typeof what === 'string' ? { text: what } : what;
    const result = await on.query({ ...config, values: values as unknown[] });
    return result.rows as Row[];
  };

  const query: Connection['query'] = (what, values) => run(pool, what, values);

  return {
    query,
    async read<Row>(what: Statement | string, values?: readonly unknown[]) {
      const giveUpMs = monotonicMs() + bounds.readRetryMs;
      for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
        try {
          return await query<Row>(what, values);
        } catch (error) {
          if (!isOutcomeUnknown(error)) throw error;
          if (monotonicMs() + waitMs > giveUpMs) throw databaseAway(error);
          await sleepMs(waitMs);
        }
      }
    },
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const client = await pool.connect();
      let broken: Error | undefined;
      // Without a listener an error between two statements of the transaction would end the process.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      try {
        await client.query('begin');
        const result = await work({
          inTransaction: true,
          query: (what, values) => run(client, what, values),
        });
        await client.query('commit');
        return result;
      } catch (error) {
        if (isOutcomeUnknown(error)) broken = error as Error;
        else await client.query('rollback').catch((failure: Error) => (broken = failure));
        throw error;
      } finally {
        client.off('error', onError);
        client.release(broken);
      }
    },
    connect: () => pool.connect(),
    usage: () => ({ open: pool.totalCount, idle: pool.idleCount, waiting: pool.waitingCount }),
    close: () => pool.end(),
  };
}

/** What a customer is told while the database cannot be reached. */
export function databaseAway(cause: unknown): Problem {
  return new Problem(
    'temporarily_unavailable',
    'The service cannot reach its database at the moment. Nothing was charged; try again shortly.',
    { cause },
  );
}
