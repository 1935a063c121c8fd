// The stored sales estimates: one packed row per product and year, the product's habit, and the
// versions of the market model.
import { bytesArray, plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { readInGroups, rotationOf } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { EMPTY_MODEL, type MarketModel, MODEL_FORMAT } from './market-model.ts';
import type { ProductHabit } from './product-habit.ts';

export type StoredSales = {
  /** Ascending. */
  years: { year: number; packed: Buffer }[];
  /** The version of the model that the days were estimated with; null if they never were. */
  version: number | null;
  /** The newest version of the model; 0 before the first. */
  newestVersion: number;
};

/** Reads one row per product and year, and one row for a product without years. */
const READ_SALES = heavyStatement(
  'read-sales',
  `select product.position::integer as position, h.knowledge_version, y.year, y.packed,
          (select coalesce(max(version), 0) from market_models) as newest_version
     from unnest($1::smallint[], $2::text[]) with ordinality as product(lane, code, position)
     left join sales_habits h on h.lane = product.lane and h.retailer_product_code = product.code
      and ${inLanes('h.lane', '$1')}
     left join sales_years y on y.lane = product.lane and y.retailer_product_code = product.code
      and ${inLanes('y.lane', '$1')}
    order by position, y.year`,
);

/** Reads the stored sales of products, in the order of the codes. */
export async function readSalesOf(db: Database, codes: readonly string[]): Promise<StoredSales[]> {
  const rows = await db.read<{
    position: number;
    knowledge_version: number | null;
    newest_version: number;
    year: number | null;
    packed: Buffer;
  }>(READ_SALES, [plainArray(codes.map(lane)), plainArray(codes)]);
  const sales = codes.map((): StoredSales => ({ years: [], version: null, newestVersion: 0 }));
  for (const { position, knowledge_version, newest_version, year, packed } of rows) {
    const stored = sales[position - 1] as StoredSales;
    stored.version = knowledge_version;
    stored.newestVersion = newest_version;
    if (year !== null) stored.years.push({ year, packed });
  }
  return sales;
}

/** Read apart from the days: it holds a profile of the week, and only a new estimate needs it. */
export async function readHabit(db: Database, code: string): Promise<ProductHabit | null> {
  const [row] = await db.read<{ habit: ProductHabit }>(
    'select habit from sales_habits where lane = $1 and retailer_product_code = $2',
    [lane(code), code],
  );
  return row?.habit ?? null;
}

/** Replaces the given years. With a habit, replaces the habit and all years. */
export async function writeSales(
  tx: Transaction,
  input: { code: string; years: StoredSales['years']; habit: ProductHabit | null },
): Promise<void> {
  const { code, years, habit } = input;
  const key = [lane(code), code];
  if (habit !== null) {
    await tx.query('delete from sales_years where lane = $1 and retailer_product_code = $2', key);
    await tx.query(
      `insert into sales_habits (lane, retailer_product_code, knowledge_version, habit)
       values ($1, $2, $3, $4)
       on conflict (lane, retailer_product_code)
       do update set knowledge_version = excluded.knowledge_version, habit = excluded.habit`,
      [...key, habit.version, JSON.stringify(habit)],
    );
  }
  await tx.query(
    `insert into sales_years (lane, retailer_product_code, year, packed)
     select $1::smallint, $2::text, * from unnest($3::smallint[], $4::bytea[])
     on conflict (lane, retailer_product_code, year) do update set packed = excluded.packed`,
    [
      ...key,
      plainArray(years.map(({ year }) => year)),
      bytesArray(years.map(({ packed }) => packed)),
    ],
  );
}

/** Reads the usual daily units of products that have a habit. */
const READ_UNITS_PER_DAY = statement(
  'read-units-per-day',
  `select h.retailer_product_code, (h.habit ->> 'unitsPerDay')::double precision as units_per_day
     from unnest($1::smallint[], $2::text[]) as product(lane, code)
     join sales_habits h on h.lane = product.lane and h.retailer_product_code = product.code
      and ${inLanes('h.lane', '$1')}`,
);

export async function readUnitsPerDay(
  db: Connection,
  codes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await readInGroups(db, codes, (part) =>
    db.query<{ retailer_product_code: string; units_per_day: number }>(READ_UNITS_PER_DAY, [
      plainArray(part.map(lane)),
      plainArray(part),
    ]),
  );
  return new Map(rows.map((row) => [row.retailer_product_code, row.units_per_day]));
}

/** Lists products whose days were estimated with an older model. */
export async function listOutdated(
  db: Database,
  input: {
    version: number;
    limit: number;
    exceptCodes: readonly string[];
    lanes: readonly number[];
  },
): Promise<string[]> {
  const ownLanes = new Set(input.lanes);
  const rows = await rotationOf(db, 'list-outdated')(input.limit, ({ lanes, limit }) =>
    db.read<{ retailer_product_code: string }>(
      `select h.retailer_product_code from sales_habits h
        where h.knowledge_version < $1 and h.retailer_product_code <> all ($3::text[])
          and h.lane = any($4::smallint[])
        limit $2`,
      [
        input.version,
        limit,
        plainArray(input.exceptCodes),
        plainArray(lanes.filter((lane) => ownLanes.has(lane))),
      ],
    ),
  );
  return rows.map((row) => row.retailer_product_code);
}

function withoutShape({ shape: _, categories: __, orders: ___, ...rest }: MarketModel) {
  return rest;
}

/** Whether the newest model was fitted by a release whose models cannot be used as they are. */
export async function isModelOutdated(db: Database): Promise<boolean> {
  const [row] = await db.read<{ format: number | null }>(
    `select (body ->> 'format')::integer as format from market_models
      order by version desc limit 1`,
  );
  return row !== undefined && row.format !== MODEL_FORMAT;
}

/** Members that processes of the release before read. */
const FORMER_MEMBERS = { left: null, restockPull: [1, 1, 1] };

/** Reads a version of the model; the empty model if there is none. */
export async function readMarketModel(db: Database, version: number): Promise<MarketModel> {
  const [row] = await db.read<{ body: MarketModel }>(
    'select body from market_models where version = $1',
    [version],
  );
  if (row === undefined) return EMPTY_MODEL;
  // What an earlier release learned about hours and ranks serves until the next fit.
  return row.body.format === MODEL_FORMAT
    ? row.body
    : { ...row.body, ...withoutShape(EMPTY_MODEL), version };
}

export async function newestMarketModel(
  db: Database,
): Promise<{ version: number; fittedAtMs: number; observations: number } | null> {
  const [row] = await db.read<{ version: number; fitted_at: number; observations: number }>(
    'select version, fitted_at, observations from market_models order by version desc limit 1',
  );
  return row === undefined
    ? null
    : { version: row.version, fittedAtMs: row.fitted_at, observations: row.observations };
}

/** Older versions are deleted; these stay for comparison. */
const VERSIONS_STORED_MAX = 10;

/** Stores a version. Returns false if another process has just stored the same version. */
export async function insertMarketModel(
  db: Connection,
  input: { model: MarketModel; products: number; observations: number; nowMs: number },
): Promise<boolean> {
  const { model } = input;
  const written = await db.query(
    `insert into market_models (version, fitted_at, products, observations, body)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing returning version`,
    [
      model.version,
      isoTime(input.nowMs),
      input.products,
      input.observations,
      JSON.stringify({ ...model, ...FORMER_MEMBERS }),
    ],
  );
  await db.query('delete from market_models where version <= $1', [
    model.version - VERSIONS_STORED_MAX,
  ]);
  return written.length === 1;
}
