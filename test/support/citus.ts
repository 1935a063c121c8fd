// Databases on a Citus cluster, for tests that run with TEST_CITUS_URL: the coordinator's
// maintenance database, as a superuser, with its workers added. Each test file gets a distributed
// database.
import pg from 'pg';
import type { ConnectionSettings } from '../../src/database/database.ts';

export const CITUS_URL = process.env.TEST_CITUS_URL;

type Node = { host: string; port: number };

async function onNode<T>(
  node: Node & { database: string },
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const url = new URL(CITUS_URL as string);
  const password = decodeURIComponent(url.password);
  const client = new pg.Client({
    ...node,
    user: decodeURIComponent(url.username),
    ...(password === '' ? {} : { password }),
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const coordinator = (): Node => {
  const { hostname, port } = new URL(CITUS_URL as string);
  return { host: hostname, port: Number(port || 5432) };
};

const maintenanceDatabase = () => new URL(CITUS_URL as string).pathname.slice(1) || 'postgres';

/** The coordinator first. */
export async function citusNodes(): Promise<Node[]> {
  const workers = await onNode({ ...coordinator(), database: maintenanceDatabase() }, (client) =>
    client.query<Node>(
      `select nodename as host, nodeport as port from pg_dist_node
        where noderole = 'primary' and groupid <> 0 order by nodeid`,
    ),
  );
  return [coordinator(), ...workers.rows];
}

/** Creates a database on every node and joins them; nothing is distributed yet. */
export async function createCitusDatabase(name: string): Promise<ConnectionSettings> {
  const nodes = await citusNodes();
  for (const node of nodes) {
    await onNode({ ...node, database: maintenanceDatabase() }, (client) =>
      // Citus would pass the command on to nodes where it was run already.
      client
        .query(`set citus.enable_create_database_propagation = off`)
        .then(() => client.query(`create database ${name}`)),
    );
    await onNode({ ...node, database: name }, (client) => client.query('create extension citus'));
  }
  const [first, ...workers] = nodes as [Node, ...Node[]];
  await onNode({ ...first, database: name }, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [first.host, first.port]);
    for (const { host, port } of workers) {
      await client.query('select citus_add_node($1, $2)', [host, port]);
    }
  });
  const url = new URL(CITUS_URL as string);
  const password = decodeURIComponent(url.password);
  return {
    ...first,
    user: decodeURIComponent(url.username),
    ...(password === '' ? {} : { password }),
    database: name,
  };
}

export async function dropCitusDatabase(name: string): Promise<void> {
  for (const node of await citusNodes()) {
    await onNode({ ...node, database: maintenanceDatabase() }, (client) =>
      client.query(`drop database if exists ${name} with (force)`),
    );
  }
}
