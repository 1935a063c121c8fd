// Runs: the packed looks of a product that have left its own row. A run of the box stream holds the buybox
// of its looks, one of the shelf stream rank and offers; both have the looks' times, so that the price
// history is read without what each seller had in stock.
import { crc32 } from 'node:zlib';
import { bytesArray, plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Database,
  heavyStatement,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { PackedRun } from './packed-observations.ts';

export type Stream = 'box' | 'shelf';

/** As they lie in the table. Damaged runs are set aside when something must be written in their place. */
const STREAM = { box: 0, shelf: 1 } as const;
const SET_ASIDE = 2;

export type RunKey = { code: string; stream: Stream; firstAtSeconds: number };

export type Run = RunKey & {
  lastAtSeconds: number;
  observations: number;
  checksum: number;
  packed: Buffer;
};

/** Short enough that four lie in a page of 8 KB. */
export const RUN_BYTES_MAX = 1_800;
/** A run shorter than this is filled up by the looks that follow it. */
const FILL_BELOW_BYTES = 1_200;

/** Of bytes, or of all when they follow others of a known checksum. */
export const checksumOf = (bytes: Uint8Array, before = 0): number => crc32(bytes, before);

export const isIntact = (run: Run): boolean => checksumOf(run.packed) === run.checksum;

type RunRow = {
  retailer_product_code: string;
  stream: number;
  first_at: number;
  last_at: number;
  observations: number;
  checksum: number;
  packed: Buffer;
};

const fromRow = (row: RunRow): Run => ({
  code: row.retailer_product_code,
  stream: row.stream === STREAM.box ? 'box' : 'shelf',
  firstAtSeconds: row.first_at / 1000,
  lastAtSeconds: row.last_at / 1000,
  observations: row.observations,
  checksum: row.checksum,
  packed: row.packed,
});

const iso = (seconds: number) => isoTime(seconds * 1000);

/**
 * Runs, of both streams, that looks of the given spans belong into: those that reach into the span, and
 * the one before it when it has room. The product's row is locked by then.
 */
const RUNS_AROUND = statement(
  'runs-around',
  `select r.retailer_product_code, r.stream, r.first_at, r.last_at, r.observations, r.checksum, r.packed
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            as asked(lane, code, from_at, to_at)
    cross join (values (0::smallint), (1::smallint)) as streams(stream)
    cross join lateral (
      select max(b.first_at) as first_at from history_runs b
       where b.lane = asked.lane and b.retailer_product_code = asked.code
         and b.stream = streams.stream and b.first_at <= asked.from_at) as before
     join history_runs r
       on r.lane = asked.lane and r.retailer_product_code = asked.code and r.stream = streams.stream
      and r.first_at >= coalesce(before.first_at, asked.from_at) and r.first_at <= asked.to_at
    where r.last_at >= asked.from_at or octet_length(r.packed) < ${FILL_BELOW_BYTES}
    order by r.lane, r.retailer_product_code, r.stream, r.first_at`,
);

export async function runsAround(
  tx: Transaction,
  spans: readonly { code: string; fromAtSeconds: number; toAtSeconds: number }[],
): Promise<Run[]> {
  const rows = await tx.query<RunRow>(RUNS_AROUND, [
    plainArray(spans.map((span) => lane(span.code))),
    plainArray(spans.map((span) => span.code)),
    plainArray(spans.map((span) => iso(span.fromAtSeconds))),
    plainArray(spans.map((span) => iso(span.toAtSeconds))),
  ]);
  return rows.map(fromRow);
}

/** The first runs of one stream that reach into a span, ascending. They do not overlap: one at most begins before it. */
const READ_RUNS_PAGE = heavyStatement(
  'read-runs-page',
  `select retailer_product_code, stream, first_at, last_at, observations, checksum, packed
     from history_runs
    where lane = $1 and retailer_product_code = $2 and stream = $3
      and first_at >= coalesce((select max(b.first_at) from history_runs b
                                 where b.lane = $1 and b.retailer_product_code = $2
                                   and b.stream = $3 and b.first_at <= $4), $4)
      and first_at < $5 and last_at >= $4
    order by first_at
    limit $6`,
);

export async function readRunsPage(
  db: Database,
  page: { code: string; stream: Stream; fromAtSeconds: number; toAtSeconds: number; limit: number },
): Promise<Run[]> {
  const rows = await db.read<RunRow>(READ_RUNS_PAGE, [
    lane(page.code),
    page.code,
    STREAM[page.stream],
    iso(page.fromAtSeconds),
    iso(page.toAtSeconds),
    page.limit,
  ]);
  return rows.map(fromRow);
}

/** Runs of a stream that reach into spans, ascending, for many products at once. */
const READ_RUNS_OF = heavyStatement(
  'read-runs-of',
  `select asked.position::integer as position, r.retailer_product_code, r.stream, r.first_at, r.last_at,
          r.observations, r.checksum, r.packed
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            with ordinality as asked(lane, code, from_at, to_at, position)
     join history_runs r
       on r.lane = asked.lane and r.retailer_product_code = asked.code and r.stream = $5
      and r.first_at < asked.to_at and r.last_at >= asked.from_at
    order by position, r.first_at`,
);

export async function readRunsOf(
  db: Database,
  stream: Stream,
  spans: readonly { code: string; fromAtSeconds: number; toAtSeconds: number }[],
): Promise<Run[][]> {
  const found: Run[][] = spans.map(() => []);
  const rows = await db.read<RunRow & { position: number }>(READ_RUNS_OF, [
    plainArray(spans.map((span) => lane(span.code))),
    plainArray(spans.map((span) => span.code)),
    plainArray(spans.map((span) => iso(span.fromAtSeconds))),
    plainArray(spans.map((span) => iso(span.toAtSeconds))),
    STREAM[stream],
  ]);
  for (const row of rows) found[row.position - 1]?.push(fromRow(row));
  return found;
}

/** Takes runs away whose looks are being written anew. */
export async function deleteRuns(tx: Transaction, keys: readonly RunKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from history_runs r
      using unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[])
              as gone(lane, code, stream, first_at)
      where r.lane = gone.lane and r.retailer_product_code = gone.code
        and r.stream = gone.stream and r.first_at = gone.first_at`,
    keyArrays(keys),
  );
}

/** Keeps a damaged run for whoever may still make something of it, out of the way of new ones. */
export async function setRunsAside(tx: Transaction, keys: readonly RunKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `update history_runs r set stream = ${SET_ASIDE}
       from unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[])
              as damaged(lane, code, stream, first_at)
      where r.lane = damaged.lane and r.retailer_product_code = damaged.code
        and r.stream = damaged.stream and r.first_at = damaged.first_at
        and not exists (select from history_runs other
                         where other.lane = r.lane and other.stream = ${SET_ASIDE}
                           and other.retailer_product_code = r.retailer_product_code
                           and other.first_at = r.first_at)`,
    keyArrays(keys),
  );
  await deleteRuns(tx, keys); // the second one of the same second, should there ever be one
}

const keyArrays = (keys: readonly RunKey[]) => [
  plainArray(keys.map((key) => lane(key.code))),
  plainArray(keys.map((key) => key.code)),
  plainArray(keys.map((key) => STREAM[key.stream])),
  plainArray(keys.map((key) => iso(key.firstAtSeconds))),
];

export async function insertRuns(
  tx: Transaction,
  runs: readonly { code: string; stream: Stream; run: PackedRun }[],
): Promise<void> {
  if (runs.length === 0) return;
  await tx.query(
    `insert into history_runs (lane, stream, observations, first_at, last_at, checksum,
                              retailer_product_code, packed)
     select * from unnest($1::smallint[], $2::smallint[], $3::integer[], $4::timestamptz[],
                          $5::timestamptz[], $6::bigint[], $7::text[], $8::bytea[])`,
    [
      plainArray(runs.map(({ code }) => lane(code))),
      plainArray(runs.map(({ stream }) => STREAM[stream])),
      plainArray(runs.map(({ run }) => run.count)),
      plainArray(runs.map(({ run }) => iso(run.firstAtSeconds))),
      plainArray(runs.map(({ run }) => iso(run.lastAtSeconds))),
      plainArray(runs.map(({ run }) => checksumOf(run.bytes))),
      textArray(runs.map(({ code }) => code)),
      bytesArray(runs.map(({ run }) => run.bytes)),
    ],
  );
}
