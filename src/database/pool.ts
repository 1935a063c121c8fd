// A connection pool: connections open on demand with the same settings, callers wait while the
// server restarts, and a connection in an unknown state is closed.
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
import type { LaneGroups } from './lane-groups.ts';
import { applySettings, types } from './session.ts';
import { type Statement, type Transaction, withoutLaneConditions } from './statement.ts';

export type ConnectionSettings = pg.PoolConfig;

/**
 * What stands between us and the server. A pooler in transaction mode gives each transaction
 * another session: nothing set in a session lasts. `transaction` keeps no named statements either.
 */
export type Pooler = 'none' | 'transaction' | 'transaction-prepared';

export type PoolUsage = { open: number; idle: number; waiting: number };

export type TransactionOptions = {
  /**
   * Whether to repeat the work after a deadlock, or a connection that broke before the commit was
   * sent. False for work that has effects outside its transaction.
   */
  repeat?: boolean;
  /** How long to wait for a connection and repeat the work. Default: bounds.readRetryMs. */
  waitMaxMs?: number;
  /** How long its statements wait for a lock, if not as long as usual. See withLockTimeout. */
  lockTimeoutMs?: number;
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
  own: {
    max: number;
    lockTimeoutMs: number;
    pooler: Pooler;
    groups: LaneGroups;
    observe: ObserveStatement | undefined;
  },
): Pool {
  const send: Send = (client, what, values) => {
    const { name, text } = textOf(what, own.groups.count() === 1);
    const hasName = name !== undefined && own.pooler !== 'transaction';
    return run(client, hasName ? { name, text } : { text }, values);
  };
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
    // Set after connecting, because options in DATABASE_URL replace any passed here. Behind a
    // pooler they would reach a session of somebody else: there the role has them (pooled-session).
    ...(own.pooler === 'none'
      ? { onConnect: (client: pg.ClientBase) => applySettings(client, limits) }
      : {}),
    // The server's timeout comes first; this one is for a server that does not respond at all.
    query_timeout: settings.query_timeout ?? bounds.statementTimeoutMs + 5_000,
  });
  const begin = beginText(own);
  pool.on('error', (error) => log.warn({ reason: error.message }, 'idle database connection lost'));

  /** Waits for a connection while the server restarts. Nothing was sent yet, so a retry is safe. */
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
    own.observe?.({ what, values: values ?? [], transaction: null });
    const client = await acquire(giveUpMs);
    return withClient(client, () => send<Row>(client, what, values ?? []));
  };

  const attempt = async <T>(
    work: (tx: Transaction) => Promise<T>,
    { giveUpMs, lockTimeoutMs }: { giveUpMs: number; lockTimeoutMs: number | undefined },
  ): Promise<T> => {
    const client = await acquire(giveUpMs);
    const beginText = lockTimeoutMs === undefined ? begin : beginWithTimeout(lockTimeoutMs);
    return withClient(client, (spoil) =>
      transact({ client, spoil, begin: beginText, send, observe: own.observe }, work),
    );
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
          // A read has no effect, so its outcome is never in doubt.
          if (!mayPass(error) || monotonicMs() + waitMs > giveUpMs) throw databaseAway(error.cause);
          await sleepMs(waitMs);
        }
      }
    },
    async transaction(work, { repeat = true, waitMaxMs = bounds.readRetryMs, lockTimeoutMs } = {}) {
      const giveUpMs = monotonicMs() + waitMaxMs;
      for (let waitMs = 20; ; waitMs = Math.min(waitMs * 2, 500)) {
        try {
          return await attempt(work, { giveUpMs, lockTimeoutMs });
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

/** One round trip: the isolation level and, behind a pooler, what the role's default lacks. */
function beginText({ pooler, lockTimeoutMs }: { pooler: Pooler; lockTimeoutMs: number }): string {
  if (pooler === 'none' || lockTimeoutMs === bounds.lockTimeoutMs) return BEGIN;
  return beginWithTimeout(lockTimeoutMs);
}

/** Explicit each time: behind a pooler the session may have another default. */
const BEGIN = 'begin isolation level read committed';

const beginWithTimeout = (ms: number) => `${BEGIN}; set local lock_timeout = ${Math.ceil(ms)}`;

/** A transaction that ended before its commit was sent, for a reason outside its work. */
class NotCommitted extends DatabaseAway {}

/** A lost connection can be replaced; a statement that timed out would time out again. */
const mayPass = (error: DatabaseAway) => error.outcomeUnknown || isConflict(error);

/** A statement that is about to be sent; `transaction` is the same object for all of its own. */
export type SentStatement = {
  what: Statement | string;
  values: readonly unknown[];
  transaction: object | null;
};

/** Tests examine every statement with this; it is called by the code that sends it. */
export type ObserveStatement = (sent: SentStatement) => void;

type Send = <Row>(
  client: pg.PoolClient,
  what: Statement | string,
  values: readonly unknown[],
) => Promise<Row[]>;

function textOf(what: Statement | string, isOneServer: boolean): { name?: string; text: string } {
  if (typeof what === 'string') return { text: isOneServer ? withoutLaneConditions(what) : what };
  return { name: what.name, text: isOneServer ? what.textOnOneServer : what.text };
}

async function run<Row>(
  client: pg.PoolClient,
  config: { name?: string; text: string },
  values: readonly unknown[],
): Promise<Row[]> {
  try {
    const result = await client.query({ ...config, values: values as unknown[] });
    return result.rows as Row[];
  } catch (error) {
    throw asFailure(error);
  }
}

type Spoil = (error: Error) => void;

/** Releases the connection afterwards, or closes it if a statement may still be running. */
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

type Transacting = {
  client: pg.PoolClient;
  spoil: Spoil;
  begin: string;
  send: Send;
  observe: ObserveStatement | undefined;
};

async function transact<T>(
  { client, spoil, begin, send, observe }: Transacting,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const transaction = {};
  /** The error of this connection; the work may also throw errors of other connections. */
  let failure: unknown;
  const query: Transaction['query'] = async <Row>(
    what: Statement | string,
    values?: readonly unknown[],
  ) => {
    observe?.({ what, values: values ?? [], transaction });
    try {
      return await send<Row>(client, what, values ?? []);
    } catch (error) {
      failure = error;
      if (spoilsConnection(error)) spoil(error as Error);
      throw error;
    }
  };
  let result: T;
  try {
    await query(begin);
    result = await work({ inTransaction: true, query });
  } catch (error) {
    const isGone = isOutcomeUnknown(failure);
    if (!isGone) await client.query('rollback').catch(spoil);
    // Before the commit is sent nothing has taken effect, whatever the last statement did.
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
  // The server reports this without an error if a statement failed and the work continued.
  if (ended.command !== 'COMMIT') throw new Error('a failed statement undid the transaction');
}
