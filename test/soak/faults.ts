// What goes wrong during the soak: one fault after the other, a few at once, each healed after a
// while.
import pg from 'pg';
import type { Random } from '../support/random.ts';
import type { Machine, ServiceProcess } from './machine.ts';

export type Fault = {
  name: string;
  /** Causes the fault, waits for its duration, and repairs it. */
  strike(): Promise<void>;
};

export type FaultContext = {
  machine: Machine;
  processes: readonly ServiceProcess[];
  random: Random;
};

/** Tables whose rows can be poisoned: every write of such a row is refused by the database. */
const POISONABLE: Readonly<Record<string, string>> = {
  deliveries: 'delivery_id',
  events: 'account_id',
  webhook_health: 'webhook_id',
  outgoing: 'retailer_product_code',
  watchers: 'account_id',
  products: 'retailer_product_code',
  tracked_products: 'tracked_id',
  tracked_days: 'account_id',
  collection_schedule: 'retailer_product_code',
};

/** Tables of which one row is locked by hand. */
const LOCKABLE = [
  'balances',
  'accounts',
  'products',
  'watchers',
  'webhook_health',
  'collection_schedule',
  'tracked_products',
  'outgoing',
  'deliveries',
];

/** The database's error for a poisoned row. */
export const POISONED = 'poisoned for the soak';

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function onDatabase<T>(
  machine: Machine,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...machine.connection, ssl: false });
  client.on('error', () => {}); // killed with the server
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Run once before the service starts: writes of rows whose key is on the list are refused. */
export function preparePoison(machine: Machine): Promise<void> {
  return onDatabase(machine, async (client) => {
    await client.query('create table soak_poison (key text primary key)');
    await client.query(
      `create function soak_refuse() returns trigger language plpgsql as $$
       begin
         if exists (select from soak_poison where key = to_jsonb(coalesce(new, old)) ->> tg_argv[0]) then
           raise exception '${POISONED}';
         end if;
         return coalesce(new, old);
       end $$`,
    );
    for (const [table, column] of Object.entries(POISONABLE)) {
      await client.query(
        `create trigger soak_poison before insert or update on ${table}
           for each row execute function soak_refuse('${column}')`,
      );
    }
  });
}

export function faultsOf(context: FaultContext): readonly Fault[] {
  const { machine, processes, random } = context;
  const between = (fromMs: number, toMs: number) => fromMs + random.below(toMs - fromMs);
  const faults: Fault[] = [
    {
      name: 'poisoned row',
      strike: () =>
        poisonRow(machine, random.pick(Object.entries(POISONABLE)), between(5_000, 20_000)),
    },
    {
      name: 'locked row',
      strike: () => lockRow(machine, random.pick(LOCKABLE), between(5_000, 20_000)),
    },
    {
      name: 'damaged webhook secret',
      strike: () => damageSecret(machine, between(5_000, 20_000)),
    },
    {
      name: 'killed process',
      async strike() {
        const victim = random.pick(processes.filter(({ isMeasured }) => !isMeasured));
        await victim.kill();
        await pause(random.below(4_000));
        await victim.start();
      },
    },
    {
      name: 'killed database',
      async strike() {
        await machine.killDatabase();
        await pause(5_000);
      },
    },
  ];
  const { fillDisk } = machine;
  if (fillDisk !== null) {
    faults.push({
      name: 'full disk',
      async strike() {
        const makeRoom = fillDisk();
        await pause(between(3_000, 12_000));
        makeRoom();
      },
    });
  }
  return faults;
}

/** A random row; nothing happens while the table is empty. */
async function poisonRow(
  machine: Machine,
  [table, column]: [string, string],
  forMs: number,
): Promise<void> {
  const key = await onDatabase(machine, async (client) => {
    const { rows } = await client.query(
      `select ${column}::text as key from ${table} order by random() limit 1`,
    );
    const rowKey = rows[0]?.key as string | undefined;
    if (rowKey === undefined) return undefined;
    await client.query('insert into soak_poison values ($1) on conflict do nothing', [rowKey]);
    return rowKey;
  });
  await pause(forMs);
  if (key !== undefined) await untilDone(() => healPoison(machine, key));
}

const healPoison = (machine: Machine, key: string) =>
  onDatabase(machine, (client) => client.query('delete from soak_poison where key = $1', [key]));

/** The lock ends by itself if the server is killed meanwhile. */
async function lockRow(machine: Machine, table: string, forMs: number): Promise<void> {
  await onDatabase(machine, async (client) => {
    await client.query('begin');
    await client.query(`select from ${table} order by random() limit 1 for update`);
    await pause(forMs);
  });
}

const damagedNow = new Set<string>();

/**
 * Only registrations that are not compared at the end: one stays paused until its customer requests
 * a new secret.
 */
async function damageSecret(machine: Machine, forMs: number): Promise<void> {
  const damaged = await onDatabase(machine, async (client) => {
    const { rows } = await client.query(
      `select webhook_id, secret from webhooks where name <> 'good' order by random() limit 1`,
    );
    const [row] = rows as { webhook_id: string; secret: Buffer }[];
    if (row === undefined || damagedNow.has(row.webhook_id)) return undefined;
    damagedNow.add(row.webhook_id);
    await client.query(
      `update webhooks set secret = set_byte(secret, 20, get_byte(secret, 20) # 255)
        where webhook_id = $1`,
      [row.webhook_id],
    );
    return row;
  });
  await pause(forMs);
  if (damaged === undefined) return;
  await untilDone(() =>
    onDatabase(machine, (client) =>
      client.query('update webhooks set secret = $2 where webhook_id = $1', [
        damaged.webhook_id,
        damaged.secret,
      ]),
    ),
  );
  damagedNow.delete(damaged.webhook_id);
}

async function untilDone(work: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await work();
      return;
    } catch {
      await pause(500);
    }
  }
}

/** After the last fault: nothing stays poisoned. */
export async function healAll(machine: Machine): Promise<void> {
  await untilDone(() => onDatabase(machine, (client) => client.query('delete from soak_poison')));
}
