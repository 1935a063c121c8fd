// Estimated days as they are stored, a packed row for each year of a product, its habits beside them, and what
// was learned from all products.
import { bytesArray, plainArray } from '../database/array-parameter.ts';
import {
  type Connection,
  type Database,
  heavyStatement,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import { EMPTY_MODEL, type MarketModel } from './market-model.ts';
import type { ProductHabit } from './product-habit.ts';

export type StoredSales = {
  /** Ascending. */
  years: { year: number; packed: Buffer }[];
  /** The knowledge that the days were worked out with; null before they were. */
  version: number | null;
  /** The newest that was learned, whatever the days were worked out with; 0 before anything was. */
  newestVersion: number;
};

/** For each product one row at least: the newest version; then the years. */
const READ_SALES = heavyStatement(
  'read-sales',
  `select asked.position::integer as position, h.knowledge_version, y.year, y.packed,
          (select coalesce(max(version), 0) from market_models) as newest_version
     from unnest($1::smallint[], $2::text[]) with ordinality as asked(lane, code, position)
     left join sales_habits h on h.lane = asked.lane and h.retailer_product_code = asked.code
     left join sales_years y on y.lane = asked.lane and y.retailer_product_code = asked.code
    order by position, y.year`,
);

/** What is stored of some products, in their order. */
export async function readSalesOf(db: Database, codes: readonly string[]): Promise<StoredSales[]> {
  const rows = await db.read<{
    position: number;
    knowledge_version: number | null;
    newest_version: number;
    year: number | null;
    packed: Buffer;
  }>(READ_SALES, [plainArray(codes.map(lane)), plainArray(codes)]);
  const found = codes.map((): StoredSales => ({ years: [], version: null, newestVersion: 0 }));
  for (const { position, knowledge_version, newest_version, year, packed } of rows) {
    const stored = found[position - 1] as StoredSales;
    stored.version = knowledge_version;
    stored.newestVersion = newest_version;
    if (year !== null) stored.years.push({ year, packed });
  }
  return found;
}

/** Apart from the days: it has a profile of all hours of the week, and only days that are worked out anew need it. */
export async function readHabit(db: Database, code: string): Promise<ProductHabit | null> {
  const [row] = await db.read<{ habit: ProductHabit }>(
    'select habit from sales_habits where lane = $1 and retailer_product_code = $2',
    [lane(code), code],
  );
  return row?.habit ?? null;
}

/** Puts years in the place of what was stored of them; with a habit, all years are anew. */
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

/** What products usually sell a day, where that was worked out. */
const READ_UNITS_PER_DAY = statement(
  'read-units-per-day',
  `select h.retailer_product_code, (h.habit ->> 'unitsPerDay')::double precision as units_per_day
     from unnest($1::smallint[], $2::text[]) as asked(lane, code)
     join sales_habits h on h.lane = asked.lane and h.retailer_product_code = asked.code`,
);

export async function readUnitsPerDay(
  db: Connection,
  codes: readonly string[],
): Promise<Map<string, number>> {
  const rows = await db.query<{ retailer_product_code: string; units_per_day: number }>(
    READ_UNITS_PER_DAY,
    [plainArray(codes.map(lane)), plainArray(codes)],
  );
  return new Map(rows.map((row) => [row.retailer_product_code, row.units_per_day]));
}

/** Products whose days were worked out with older knowledge. */
export async function listOutdated(
  db: Database,
  input: { version: number; limit: number; exceptCodes: readonly string[] },
): Promise<string[]> {
  const rows = await db.read<{ retailer_product_code: string }>(
    `select retailer_product_code from sales_habits
      where knowledge_version < $1 and retailer_product_code <> all ($3::text[]) limit $2`,
    [input.version, input.limit, plainArray(input.exceptCodes)],
  );
  return rows.map((row) => row.retailer_product_code);
}

export async function readMarketModel(db: Database, version: number): Promise<MarketModel> {
  const [row] = await db.read<{ body: MarketModel }>(
    'select body from market_models where version = $1',
    [version],
  );
  return row?.body ?? EMPTY_MODEL;
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

/** Knowledge that nothing refers to any more goes with time; the last ones stay to compare with. */
const VERSIONS_KEPT = 10;

/** False when another process has just written this version. */
export async function insertMarketModel(
  db: Connection,
  input: { model: MarketModel; products: number; observations: number; now: number },
): Promise<boolean> {
  const { model } = input;
  const written = await db.query(
    `insert into market_models (version, fitted_at, products, observations, body)
     values ($1, $2, $3, $4, $5)
     on conflict do nothing returning version`,
    [model.version, isoTime(input.now), input.products, input.observations, JSON.stringify(model)],
  );
  await db.query('delete from market_models where version <= $1', [model.version - VERSIONS_KEPT]);
  return written.length === 1;
}
