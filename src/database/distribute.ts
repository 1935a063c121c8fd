// Distributes the tables over the nodes of a Citus cluster by lane, as `families.ts` says: before
// the first start or with data. Each table is one transaction, so that an interrupted run continues
// where it ended. No process may run meanwhile: it would go on with the lane groups of before.
import type pg from 'pg';
import { Problem } from '../foundation/problem.ts';
import { send } from './apply-migration.ts';
import type { Database } from './database.ts';
import { LANES, TABLES } from './families.ts';

const OLDEST_CITUS = 13;
/** Few shards: each is a batch and a round trip of its own for what one server does at once. */
const SHARDS_PER_NODE = 2;
const SHARDS_MIN = 4;
const DISTRIBUTE_MAX_MS = 24 * 3_600_000;
/** All lane tables lie with this one. */
const FIRST_LANE_TABLE = 'accounts';

export type Distributed = {
  shards: number;
  /** Tables that this run distributed; none when all were. */
  tables: string[];
};

export type OnDistributed = (table: string, done: number, of: number) => void;

type Kind = 'reference' | 'lane';

const tablesOf = (kind: Kind) =>
  Object.entries(TABLES).flatMap(([name, table]) => (table.kind === kind ? [name] : []));

/** Functions that run on the node of their first argument's lane. */
const LANE_FUNCTIONS = [
  `charge_what_fits(smallint, smallint[], uuid[], timestamptz[], uuid[], text[], bigint[], text[],
                    text[], text[], timestamptz, text)`,
  `charge_and_mark(smallint, smallint[], uuid[], timestamptz[], uuid[], text[], bigint[], text[],
                   text[], text[], boolean[], timestamptz, text)`,
];

/** Runs under the migration lock. `shards` is only read before the first table is distributed. */
export async function distribute(
  client: pg.ClientBase,
  { shards, onTable }: { shards: number | null; onTable?: OnDistributed },
): Promise<Distributed> {
  const { nodes } = await checkCluster(client);
  const existing = await shardCount(client);
  const count = existing ?? shards ?? Math.max(SHARDS_MIN, SHARDS_PER_NODE * nodes);
  if (existing !== null && shards !== null && shards !== existing) {
    throw new Problem(
      'distribution_impossible',
      `The tables are already distributed over ${existing} shards. Leave out --shards to continue.`,
    );
  }
  if (count > LANES) {
    throw new Problem('distribution_impossible', `--shards must be from 1 to ${LANES}.`);
  }
  return { shards: count, tables: await distributeMissing(client, { shards: count, onTable }) };
}

/** The number of shards; null while no table is distributed. */
export async function shardCount(client: Pick<pg.ClientBase, 'query'>): Promise<number | null> {
  const { rows: extension } = await client.query(
    `select from pg_extension where extname = 'citus'`,
  );
  if (extension.length === 0) return null;
  const { rows } = await client.query(
    `select count(*)::integer as shards from pg_dist_shard
      where logicalrelid = to_regclass($1)`,
    [FIRST_LANE_TABLE],
  );
  return rows[0].shards === 0 ? null : rows[0].shards;
}

/** Distributes what is not: all tables, or those that a migration has just created. */
export async function distributeMissing(
  client: pg.ClientBase,
  input: { shards: number; onTable?: OnDistributed | undefined },
): Promise<string[]> {
  const patient = { maxMs: DISTRIBUTE_MAX_MS };
  await send(client, 'set statement_timeout = 0');
  await send(client, 'set lock_timeout = 0');
  // Otherwise Citus adds local tables that reference a reference table to its metadata.
  await send(client, 'set citus.enable_local_reference_table_foreign_keys = off');
  await send(client, `set citus.shard_count = ${input.shards}`);
  const done = await distributedTables(client);
  const existing = await existingNames(client);
  const missing = [
    ...tablesOf('reference').map((table) => ({ table, kind: 'reference' as Kind })),
    ...tablesOf('lane').map((table) => ({ table, kind: 'lane' as Kind })),
  ].filter(({ table }) => existing.has(table) && !done.has(table));
  for (const [index, { table, kind }] of missing.entries()) {
    if (kind === 'reference') {
      await send(client, 'select create_reference_table($1)', { values: [table], ...patient });
    } else {
      const colocated = table === FIRST_LANE_TABLE ? 'none' : FIRST_LANE_TABLE;
      await send(client, `select create_distributed_table($1, 'lane', colocate_with := $2)`, {
        values: [table, colocated],
        ...patient,
      });
    }
    input.onTable?.(table, index + 1, missing.length);
  }
  await removeLocalRows(client, existing);
  for (const name of LANE_FUNCTIONS.filter((text) => existing.has(text))) {
    await send(
      client,
      `select create_distributed_function($1::regprocedure, 'shard_lane',
                                          colocate_with := '${FIRST_LANE_TABLE}')`,
      { values: [name] },
    );
  }
  return missing.map(({ table }) => table);
}

/** Tables and functions that exist: a database may be migrated to an earlier version. */
async function existingNames(client: pg.ClientBase): Promise<Set<string>> {
  const rows = await send<{ name: string }>(
    client,
    `select name from unnest($1::text[]) as name where to_regclass(name) is not null
      union all select name from unnest($2::text[]) as name where to_regprocedure(name) is not null`,
    { values: [Object.keys(TABLES), LANE_FUNCTIONS] },
  );
  return new Set(rows.map(({ name }) => name));
}

async function distributedTables(client: pg.ClientBase): Promise<Set<string>> {
  const rows = await send<{ name: string }>(
    client,
    `select logicalrelid::text as name from pg_dist_partition where partmethod in ('h', 'n')`,
  );
  return new Set(rows.map(({ name }) => name));
}

/**
 * Distributing copies rows to the shards and leaves them on the coordinator, where they are no
 * longer visible. Safe to repeat.
 */
async function removeLocalRows(
  client: pg.ClientBase,
  existing: ReadonlySet<string>,
): Promise<void> {
  const tables = [...tablesOf('lane'), ...tablesOf('reference')].filter((table) =>
    existing.has(table),
  );
  for (const table of tables.toReversed()) {
    await send(client, 'select truncate_local_data_after_distributing_table($1)', {
      values: [table],
      maxMs: DISTRIBUTE_MAX_MS,
    });
  }
}

/** Checks version, nodes and two-phase commit; returns the number of nodes that hold shards. */
async function checkCluster(client: pg.ClientBase): Promise<{ nodes: number }> {
  const [extension] = await send<{ version: string }>(
    client,
    `select extversion as version from pg_extension where extname = 'citus'`,
  );
  if (extension === undefined) {
    throw new Problem(
      'distribution_impossible',
      'This database has no Citus extension. Run "create extension citus" on every node, then citus_set_coordinator_host and citus_add_node on the coordinator.',
    );
  }
  if (Number.parseInt(extension.version, 10) < OLDEST_CITUS) {
    throw new Problem(
      'distribution_impossible',
      `Citus ${extension.version} is too old: ${OLDEST_CITUS} or newer is needed.`,
    );
  }
  const nodes = await send<{ name: string; is_active: boolean; holds_shards: boolean }>(
    client,
    `select nodename || ':' || nodeport as name, isactive as is_active,
            shouldhaveshards as holds_shards
       from pg_dist_node where noderole = 'primary' order by 1`,
  );
  const holding = nodes.filter(({ holds_shards }) => holds_shards);
  const away = nodes.filter(({ is_active }) => !is_active);
  if (holding.length === 0 || away.length > 0) {
    throw new Problem(
      'distribution_impossible',
      holding.length === 0
        ? 'No node may hold shards. Add workers with citus_add_node on the coordinator.'
        : `Not active: ${away.map(({ name }) => name).join(', ')}. Start these nodes first.`,
    );
  }
  await checkPreparedTransactions(client);
  return { nodes: holding.length };
}

/** A change to several shards, such as a new table, is committed in two phases. */
async function checkPreparedTransactions(client: pg.ClientBase): Promise<void> {
  const results = await send<{ node: string; success: boolean; result: string }>(
    client,
    `select nodename || ':' || nodeport as node, success, result
       from run_command_on_all_nodes('show max_prepared_transactions')
       join pg_dist_node using (nodeid)`,
  );
  const wrong = results.filter(({ success, result }) => !success || Number(result) === 0);
  if (wrong.length === 0) return;
  throw new Problem(
    'distribution_impossible',
    `max_prepared_transactions is 0 or cannot be read on ${wrong.map(({ node }) => node).join(', ')}. Set it to at least max_connections and restart the node.`,
  );
}

export type NodeShards = { node: string; shards: number; bytes: number };

/** What `doctor` says about a distributed database; null for one server. */
export async function surveyDistribution(
  db: Database,
): Promise<{ shards: number; notDistributed: string[]; nodes: NodeShards[] } | null> {
  const client = await db.connect();
  try {
    const shards = await shardCount(client);
    if (shards === null) return null;
    const done = await distributedTables(client);
    const notDistributed = [...tablesOf('reference'), ...tablesOf('lane')].filter(
      (table) => !done.has(table),
    );
    const nodes = await send<NodeShards>(
      client,
      `select nodename || ':' || nodeport as node, count(*) filter (where table_name = $1::regclass)::integer as shards,
              sum(shard_size)::bigint as bytes
         from citus_shards where colocation_id = (
              select colocationid from pg_dist_partition where logicalrelid = $1::regclass)
        group by 1 order by 1`,
      { values: [FIRST_LANE_TABLE] },
    );
    return { shards, notDistributed, nodes };
  } finally {
    client.release();
  }
}
