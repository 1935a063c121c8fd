// The cost of each query that could grow with its table: at 100,000 rows and at 10,000,000, by the
// pages it touches, which do not wobble, and by its time. BENCH_GROWTH_ROWS sets the larger number,
// BENCH_GROWTH_TABLES names the tables to measure.
import { listProducts } from '../src/catalog/products.ts';
import { listEntries } from '../src/credits/ledger.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import type { SentStatement } from '../src/database/pool.ts';
import { SLICE_ROWS_MAX } from '../src/database/slices.ts';
import { withoutLaneConditions } from '../src/database/statement.ts';
import { listEvents, listNewestEvents } from '../src/events/events.ts';
import { isoTime, monotonicMs, realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { DAY_MS } from '../src/foundation/time.ts';
import { listOutdated } from '../src/sales/daily-sales.ts';
import { seededDraws } from '../src/sales/sales-trial.ts';
import { countPending, listPending } from '../src/tracking/pending-products.ts';
import { dayOf } from '../src/tracking/slot.ts';
import {
  firstOpenDay,
  listOpenDays,
  listOpenLanes,
  readRecentDays,
} from '../src/tracking/tracked-days.ts';
import {
  listSuspended,
  listTracked,
  listWaitingAccounts,
} from '../src/tracking/tracked-products.ts';
import { listAttempts, listAttemptsOf } from '../src/webhooks/attempts.ts';
import { readAbandoned, readDelivery, readUnfinished } from '../src/webhooks/deliveries.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { ACCOUNTS, emptyTable, fillAccounts, fillTable, leavesOf } from './growth-fill.ts';

const FEW = 100_000;
const MANY = Number(process.env.BENCH_GROWTH_ROWS ?? 10_000_000);
const AT_MOST = 2;
/** Fewer pages than this touched more do not matter: a deeper index, an unlucky page. */
const PAGES_FREE = 12;
const RUNS = 25;
const EXPLAINED = 9;
const PAGE = 50;
const CANDIDATES = 20_000;
/** A query that takes longer is run once. */
const SLOW_MS = 2_000;

/** What a query needs: the database and random choices in it. */
type Side = {
  db: Database;
  rows: number;
  atMs: number;
  /** A random account; `parity` chooses among the even or the odd ones. */
  account(parity?: 0 | 1): { accountId: string; number: number };
  below(limit: number): number;
};

/** `inSlices`: reads an account's rows in parts, each of which is bounded. */
type Query = { name: string; inSlices?: boolean; run(side: Side): Promise<unknown> };

const rowId = (n: number) => {
  const hex = n.toString(16).padStart(32, '0');
  return [0, 8, 12, 16, 20]
    .map((from, part) => hex.slice(from, [8, 12, 16, 20, 32][part]))
    .join('-');
};

const lanesOf = ({ db }: Side) => db.groups.lanesOf(0);

/** A random row of a random account: its id and its instant. */
function anyRow(side: Side, parity?: 0 | 1) {
  const { accountId, number } = side.account(parity);
  const n = side.below(Math.floor(side.rows / ACCOUNTS)) * ACCOUNTS + number;
  const atMs = side.atMs - (1 - n / side.rows) * SPREAD_MS;
  return { accountId, number, id: rowId(n), n, atMs };
}
const SPREAD_MS = 45 * DAY_MS;

const page = { limit: PAGE };

const QUERIES: Readonly<Record<string, readonly Query[]>> = {
  products: [
    { name: `${CANDIDATES} products by rank`, run: ({ db }) => listProducts(db, CANDIDATES) },
    { name: '20 products by rank', run: ({ db }) => listProducts(db, 20) },
  ],
  sales_habits: [
    {
      name: 'estimates of an older model',
      run: (side) =>
        listOutdated(side.db, { version: 3, limit: 20, exceptCodes: [], lanes: lanesOf(side) }),
    },
  ],
  tracked_products: [
    {
      name: 'first page of a tracked list',
      run: (side) => listTracked(side.db, { ...side.account(), ...page }),
    },
    {
      name: 'any page of a tracked list',
      run: (side) => {
        const { accountId, id, atMs } = anyRow(side);
        const before = { createdAtMs: Math.floor(atMs), trackedId: id };
        return listTracked(side.db, { accountId, before, ...page });
      },
    },
    { name: 'changes to sync', run: ({ db }) => listPending(db, { limit: 200, exceptIds: [] }) },
    { name: 'count of changes to sync', run: ({ db }) => countPending(db, 10_000) },
    { name: 'accounts with suspended products', run: ({ db }) => listWaitingAccounts(db) },
    {
      name: 'suspended products of an account',
      run: (side) => listSuspended(side.db, { ...side.account(), ...page }),
    },
  ],
  tracked_days: [
    {
      name: 'lanes with unsettled days',
      run: ({ db, atMs }) => listOpenLanes(db, { upToDay: dayOf(atMs) - 1 }),
    },
    { name: 'first unsettled day', run: ({ db }) => firstOpenDay(db) },
    {
      name: 'unsettled days of a lane',
      run: ({ db, atMs, below }) =>
        listOpenDays(db, { lane: below(256), upToDay: dayOf(atMs), after: undefined, limit: 500 }),
    },
    {
      name: 'recent days of a page of products',
      run: (side) => {
        const rows = Array.from({ length: PAGE }, () => anyRow(side).n);
        const { accountId, number } = side.account();
        const codes = rows.map((n) =>
          String(1_000_000_000 + Math.floor((n - (n % ACCOUNTS) + number) / 4)),
        );
        return readRecentDays(side.db, { accountId, codes, fromDay: dayOf(side.atMs) - 30 });
      },
    },
  ],
  ledger_entries: [
    { name: 'ledger page', run: (side) => listEntries(side.db, { ...side.account(), ...page }) },
    ...(['grant', 'refund', 'tracking'] as const).map((kind) => ({
      name: `ledger page by kind ${kind}`,
      run: (side: Side) => listEntries(side.db, { ...side.account(0), ...page, kind }),
    })),
    ...(['many', 'few'] as const).map((count, parity) => ({
      name: `ledger page by kind request, of ${count}`,
      inSlices: true,
      run: (side: Side) =>
        listEntries(side.db, { ...side.account(parity as 0 | 1), ...page, kind: 'request' }),
    })),
    ...['details', 'fees', 'tracking tier 2', 'none such'].map((operation) => ({
      name: `ledger page by operation ${operation}`,
      inSlices: true,
      run: (side: Side) => listEntries(side.db, { ...side.account(0), ...page, operation }),
    })),
    {
      name: 'ledger page by kind and operation',
      inSlices: true,
      run: (side) =>
        listEntries(side.db, { ...side.account(0), ...page, kind: 'refund', operation: 'details' }),
    },
  ],
  events: [
    { name: 'events page', run: (side) => newestEvents(side, {}) },
    { name: 'events page by kind', run: (side) => newestEvents(side, { kind: 'stock.out' }) },
    { name: 'events page by kind, none', run: (side) => newestEvents(side, { kind: 'rank.lost' }) },
    { name: 'events page by code', run: (side) => newestEvents(side, { code: '1' }) },
    {
      name: 'events page by kind and code',
      run: (side) => newestEvents(side, { kind: 'stock.out', code: '1' }),
    },
    {
      name: 'events to recover',
      run: (side) => listEvents(side.db, { ...side.account(), ...page }),
    },
  ],
  delivery_attempts: [
    { name: 'attempts page', run: (side) => attempts(side, {}) },
    {
      name: 'attempts page by event',
      inSlices: true,
      run: (side) => attempts(side, { kind: 'stock.out' }),
    },
    {
      name: 'attempts page by event, none',
      inSlices: true,
      run: (side) => attempts(side, { kind: 'stock.low' }),
    },
    { name: 'attempts page of failed', run: (side) => attempts(side, { outcome: 'failed' }, 1) },
    {
      name: 'attempts page of successful',
      inSlices: true,
      run: (side) => attempts(side, { outcome: 'success' }, 0),
    },
    {
      name: 'attempts page of pending',
      inSlices: true,
      run: (side) => attempts(side, { outcome: 'pending' }),
    },
    {
      name: 'attempts page by event and outcome',
      inSlices: true,
      run: (side) => attempts(side, { kind: 'stock.out', outcome: 'failed' }, 1),
    },
    {
      name: 'attempts of a delivery',
      run: (side) => {
        const { accountId, number, id, atMs } = anyRow(side);
        return listAttemptsOf(side.db, {
          accountId,
          webhookId: webhookIds[number] as string,
          deliveryId: id,
          sinceAtMs: Math.floor(atMs) - 1,
          attemptTimes: [isoTime(Math.floor(atMs))],
        });
      },
    },
  ],
  deliveries: [
    {
      name: 'one delivery',
      run: (side) => {
        const { accountId, id } = anyRow(side);
        return readDelivery(side.db, { accountId, deliveryId: id });
      },
    },
    {
      name: 'deliveries without an outcome',
      run: ({ db, atMs }) => readAbandoned(db, { realNow: atMs, token: null, limit: 100 }),
    },
    {
      name: 'unfinished deliveries of past months',
      run: (side) =>
        readUnfinished(side.db, { lanes: lanesOf(side), beforeMs: side.atMs, limit: 500 }),
    },
  ],
};

/** By the number of their account; the same in every side. */
let webhookIds: readonly string[] = [];

const newestEvents = (side: Side, filter: { kind?: string; code?: string }) =>
  listNewestEvents(side.db, {
    ...side.account(),
    ...page,
    ...filter,
    oldestAtMs: side.atMs - 30 * DAY_MS,
  });

function attempts(
  side: Side,
  filter: Pick<Parameters<typeof listAttempts>[1], 'kind' | 'outcome'>,
  parity?: 0 | 1,
) {
  const { accountId, number } = side.account(parity);
  const webhookId = webhookIds[number] as string;
  return listAttempts(side.db, { accountId, webhookId, ...page, ...filter });
}

/** `dearest`: the pages of the statement that touches most. */
type Cost = { pages: number; dearest: number; ms: number };

export async function growthBench(bench: Bench): Promise<Measure[]> {
  const tables = process.env.BENCH_GROWTH_TABLES?.split(',') ?? Object.keys(QUERIES);
  const measures: Measure[] = [];
  for (const table of tables) {
    const few = await measureTable(bench, table, FEW);
    const many = await measureTable(bench, table, MANY);
    for (const { name, inSlices } of QUERIES[table] ?? []) {
      const [a, b] = [few.get(name) as Cost, many.get(name) as Cost];
      process.stdout.write(
        `  ${table}: ${name}: ${a.pages} pages and ${a.ms.toFixed(2)} ms of ${FEW} rows, ` +
          `${b.pages} and ${b.ms.toFixed(2)} ms of ${MANY}, time × ${(b.ms / a.ms).toFixed(1)}\n`,
      );
      measures.push(growthOf(name, [a, b]));
      if (inSlices) measures.push(boundOf(name, b));
    }
  }
  return measures;
}

function growthOf(name: string, [a, b]: [Cost, Cost]): Measure {
  const ratio = b.pages / a.pages;
  const value = b.pages <= a.pages + PAGES_FREE ? Math.min(1, ratio) : ratio;
  return measured({ name: `growth: ${name}, pages`, value, atMost: AT_MOST });
}

/** A page in slices may read all rows of its account, but no statement reads more than a slice. */
const boundOf = (name: string, { dearest }: Cost) =>
  measured({
    name: `growth: ${name}, pages of the dearest slice`,
    value: dearest,
    atMost: SLICE_ROWS_MAX * 1.1,
  });

/** Fills one table, measures its queries and empties it. */
async function measureTable(bench: Bench, table: string, rows: number): Promise<Map<string, Cost>> {
  const sent: SentStatement[] = [];
  const db = openDatabase(bench.connection, createLog('warn'), {
    observe: (one) => sent.push(one),
  });
  try {
    const atMs = realNowMs();
    const accountIds = await fillAccounts(db);
    webhookIds = await readWebhookIds(db);
    const startedMs = monotonicMs();
    await fillTable(db, table, { rows, atMs });
    process.stdout.write(
      `  ${rows} rows of ${table} in ${((monotonicMs() - startedMs) / 1_000).toFixed(0)} s, ` +
        `${await megabytes(db, table)} MB\n`,
    );
    const draw = seededDraws(1);
    const below = (limit: number) => Math.floor(draw() * limit);
    const account = (parity?: 0 | 1) => {
      const any = below(ACCOUNTS);
      const number = parity === undefined ? any : any - (any % 2) + parity;
      return { accountId: accountIds[number] as string, number };
    };
    const costs = new Map<string, Cost>();
    for (const query of QUERIES[table] ?? []) {
      costs.set(query.name, await costOf(query, { db, rows, atMs, account, below }, sent));
    }
    return costs;
  } finally {
    await emptyTable(db, table);
    await db.close();
  }
}

async function readWebhookIds(db: Database): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    `select md5('webhook' || number)::uuid as id from bench_accounts order by number`,
  );
  return rows.map(({ id }) => id);
}

/** The medians of many runs with different parameters. */
async function costOf(query: Query, side: Side, sent: SentStatement[]): Promise<Cost> {
  const times: number[] = [];
  const pages: number[][] = [];
  for (let run = 0; run < RUNS; run++) {
    sent.length = 0;
    const startedMs = monotonicMs();
    await query.run(side);
    times.push(monotonicMs() - startedMs);
    if (pages.length < EXPLAINED) pages.push(await pagesOf(side.db, [...sent]));
    if ((times.at(-1) as number) > SLOW_MS) break;
  }
  return {
    pages: median(pages.map((run) => run.reduce((sum, one) => sum + one, 0))),
    dearest: median(pages.map((run) => Math.max(...run))),
    ms: median(times),
  };
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] as number;

/** Runs the same statements again under EXPLAIN, undone afterwards; the pages that each touches. */
async function pagesOf(db: Database, sent: readonly SentStatement[]): Promise<number[]> {
  const client = await db.connect();
  const pages: number[] = [];
  try {
    await client.query('begin');
    await client.query('set local statement_timeout = 0');
    for (const { what, values } of sent) {
      const text = typeof what === 'string' ? withoutLaneConditions(what) : what.textOnOneServer;
      if (!/^\s*(select|with|update|insert|delete)/.test(text)) continue;
      const { rows } = await client.query({
        text: `explain (analyze, buffers, timing off, format json) ${text}`,
        values: [...values],
      });
      const { Plan } = rows[0]['QUERY PLAN'][0];
      pages.push(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']);
    }
    return pages;
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Includes indexes and TOAST. */
async function megabytes(db: Database, table: string): Promise<number> {
  const [row] = await db.query<{ bytes: number }>(
    `select sum(pg_total_relation_size(leaf))::bigint as bytes from unnest($1::text[]) as leaf`,
    [await leavesOf(db, table)],
  );
  return Math.round((row?.bytes ?? 0) / 1e6);
}
