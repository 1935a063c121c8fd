// The database interface: named statements, reads that survive a lost connection, and transactions
// passed as a parameter. Uses `pg` on an embedded or configured server, with separate pools for
// charges and short reads, heavy reads, and background work.
import type pg from 'pg';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import { createLaneGroups, type LaneGroups } from './lane-groups.ts';
import {
  type ConnectionSettings,
  type ObserveStatement,
  openPool,
  type Pool,
  type Pooler,
  type PoolUsage,
  type TransactionOptions,
} from './pool.ts';
import { type PoolName, type PoolSizes, poolSizes } from './pool-size.ts';
import type { Connection, Statement, Transaction } from './statement.ts';

export {
  type Connection,
  heavyStatement,
  inLanes,
  type Statement,
  statement,
  type Transaction,
} from './statement.ts';

export type Database = Connection & {
  /**
   * A read-only query, retried on a new connection while the server restarts. A heavy statement
   * goes to the heavy pool.
   */
  read<Row>(statement: Statement | string, values?: readonly unknown[]): Promise<Row[]>;
  /** A read in the heavy pool that the server cancels when it takes longer than `budgetMs`. */
  readWithin<Row>(
    budgetMs: number,
    statement: Statement | string,
    values?: readonly unknown[],
  ): Promise<Row[]>;
  /** Repeated if the connection breaks before the commit: the work must act through `tx` only. */
  transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** One raw connection, for COPY and for locks that outlive a query. The caller releases it. */
  connect(): Promise<pg.PoolClient>;
  /** Which lanes lie together; one group until prepareStore has read them. */
  readonly groups: LaneGroups;
  /** The same database for loops and other background work, with its own connections. */
  readonly background: Database;
  usage(): Record<PoolName, PoolUsage>;
  close(): Promise<void>;
};

export type { ConnectionSettings, Pooler } from './pool.ts';
export type { PoolName, PoolSizes } from './pool-size.ts';

export function openDatabase(
  settings: ConnectionSettings,
  log: Log,
  {
    sizes = poolSizes('all', bounds.databaseConnectionsDefault),
    pooler = 'none',
    observe,
  }: { sizes?: PoolSizes; pooler?: Pooler; observe?: ObserveStatement } = {},
): Database {
  const groups = createLaneGroups((error) =>
    log.warn({ reason: String(error) }, 'a lane group failed; the others continue'),
  );
  const open = (name: PoolName) =>
    openPool(settings, log, {
      pooler,
      max: sizes[name],
      // A request gives up on a lock early, so that it does not occupy a connection for long.
      lockTimeoutMs: name === 'hot' ? bounds.lockTimeoutMs : 0,
      groups,
      observe,
    });
  const pools = { hot: open('hot'), heavy: open('heavy'), background: open('background') };
  const shared = {
    groups,
    usage: () => ({
      hot: pools.hot.usage(),
      heavy: pools.heavy.usage(),
      background: pools.background.usage(),
    }),
    async close() {
      await Promise.all(Object.values(pools).map((pool) => pool.close()));
    },
  };
  // No customer waits for loops, so their heavy reads stay in the background pool.
  const background: Database = {
    ...on(pools.background, pools.background),
    ...shared,
    get background() {
      return background;
    },
  };
  return { ...on(pools.hot, pools.heavy), ...shared, background };
}

function on(pool: Pool, heavy: Pool) {
  const isHeavy = (what: Statement | string) => typeof what !== 'string' && what.isHeavy === true;
  return {
    query: <Row>(what: Statement | string, values?: readonly unknown[]) =>
      isHeavy(what) ? heavy.read<Row>(what, values) : pool.query<Row>(what, values),
    read: <Row>(what: Statement | string, values?: readonly unknown[]) =>
      (isHeavy(what) ? heavy : pool).read<Row>(what, values),
    readWithin: <Row>(budgetMs: number, what: Statement | string, values?: readonly unknown[]) =>
      heavy.transaction(async (tx) => {
        await tx.query(`set local statement_timeout = ${Math.ceil(budgetMs)}`);
        return tx.query<Row>(what, values);
      }),
    transaction: pool.transaction,
    connect: pool.connect,
  };
}
