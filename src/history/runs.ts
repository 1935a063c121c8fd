// Runs: packed observations that were moved out of the product's row. Runs of the box stream hold
// the buybox, those of the shelf stream rank and offers. Both hold the times, so the price history
// is read without the stock of each seller.
import { crc32 } from 'node:zlib';
import type { ProductTail } from '../catalog/product-row.ts';
import { bytesArray, plainArray, textArray } from '../database/array-parameter.ts';
import {
  type Database,
  heavyStatement,
  inLanes,
  statement,
  type Transaction,
} from '../database/database.ts';
import { lane } from '../database/families.ts';
import { inGroups, mapInGroups } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { summarizeBlock } from './block-summary.ts';
import type { PackedRun } from './packed-observations.ts';
import { packSummary, WHOLE_SUMMARY_HEAD } from './packed-summary.ts';

export type Stream = 'box' | 'shelf';

/** Values of the column. A damaged run is set aside before its time range is written again. */
const STREAM = { box: 0, shelf: 1 } as const;
const SET_ASIDE = 2;

export type RunKey = { code: string; stream: Stream; firstAtSeconds: number };

export type Run = RunKey & {
  lastAtSeconds: number;
  observations: number;
  checksum: number;
  packed: Buffer;
};

/** Four runs fit into a database page of 8 KB. */
export const RUN_BYTES_MAX = 1_800;
/** A run shorter than this is filled up with the observations that follow it. */
const FILL_BELOW_BYTES = 1_200;

/** CRC-32 of the bytes; pass the checksum of preceding bytes to continue it. */
export const checksumOf = (bytes: Uint8Array, before = 0): number => crc32(bytes, before);

export const isIntact = (run: Run): boolean => checksumOf(run.packed) === run.checksum;

export const isTailIntact = (tail: Pick<ProductTail, 'bytes' | 'checksum'>): boolean =>
  checksumOf(tail.bytes) === tail.checksum;

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
  firstAtSeconds: row.first_at / SECOND_MS,
  lastAtSeconds: row.last_at / SECOND_MS,
  observations: row.observations,
  checksum: row.checksum,
  packed: row.packed,
});

const iso = (atSeconds: number) => isoTime(atSeconds * SECOND_MS);

/**
 * Reads the runs of both streams that observations of the spans belong into: those that overlap the
 * span, and the one before it if it has room. The caller holds the lock on the product's row.
 */
const RUNS_AROUND = statement(
  'runs-around',
  `select r.retailer_product_code, r.stream, r.first_at, r.last_at, r.observations, r.checksum,
          r.packed
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            as span(lane, code, from_at, to_at)
    cross join (values (0::smallint), (1::smallint)) as streams(stream)
    cross join lateral (
      select max(b.first_at) as first_at from history_runs b
       where b.lane = span.lane and b.retailer_product_code = span.code
         and b.stream = streams.stream and b.first_at <= span.from_at
         and ${inLanes('b.lane', '$1')}) as before
     join history_runs r
       on r.lane = span.lane and r.retailer_product_code = span.code and r.stream = streams.stream
      and r.first_at >= coalesce(before.first_at, span.from_at) and r.first_at <= span.to_at
      and ${inLanes('r.lane', '$1')}
    where r.last_at >= span.from_at or octet_length(r.packed) < ${FILL_BELOW_BYTES}
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

/**
 * Reads the first runs of one stream that overlap a span, ascending. Runs of a stream do not
 * overlap each other, so at most one begins before the span.
 */
const READ_RUNS_PAGE = heavyStatement(
  'read-runs-page',
  `select retailer_product_code, stream, first_at, last_at, observations, checksum, packed
     from history_runs r
    where r.lane = $1 and retailer_product_code = $2 and stream = $3
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

/** Reads the runs of a stream that overlap spans of many products, ascending. */
const READ_RUNS_OF = heavyStatement(
  'read-runs-of',
  `select span.position::integer as position, r.retailer_product_code, r.stream, r.first_at,
          r.last_at, r.observations, r.checksum, r.packed
     from unnest($1::smallint[], $2::text[], $3::timestamptz[], $4::timestamptz[])
            with ordinality as span(lane, code, from_at, to_at, position)
     join history_runs r
       on r.lane = span.lane and r.retailer_product_code = span.code and r.stream = $5
      and r.first_at < span.to_at and r.last_at >= span.from_at
      and ${inLanes('r.lane', '$1')}
    order by position, r.first_at`,
);

type CodeSpan = { code: string; fromAtSeconds: number; toAtSeconds: number };

export async function readRunsOf(
  db: Database,
  stream: Stream,
  spans: readonly CodeSpan[],
): Promise<Run[][]> {
  return mapInGroups(db, spans, {
    keyOf: ({ code }) => code,
    work: (part) => readGroupRuns(db, stream, part),
  });
}

async function readGroupRuns(
  db: Database,
  stream: Stream,
  spans: readonly CodeSpan[],
): Promise<Run[][]> {
  const runsBySpan: Run[][] = spans.map(() => []);
  const rows = await db.read<RunRow & { position: number }>(READ_RUNS_OF, [
    plainArray(spans.map((span) => lane(span.code))),
    plainArray(spans.map((span) => span.code)),
    plainArray(spans.map((span) => iso(span.fromAtSeconds))),
    plainArray(spans.map((span) => iso(span.toAtSeconds))),
    STREAM[stream],
  ]);
  for (const row of rows) runsBySpan[row.position - 1]?.push(fromRow(row));
  return runsBySpan;
}

/** Deletes runs whose observations are about to be rewritten. */
export async function deleteRuns(tx: Transaction, keys: readonly RunKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `delete from history_runs r
      using unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[])
              as deleted(lane, code, stream, first_at)
      where r.lane = deleted.lane and r.retailer_product_code = deleted.code
        and r.stream = deleted.stream and r.first_at = deleted.first_at
        and ${inLanes('r.lane', '$1')}`,
    keyArrays(keys),
  );
}

/**
 * Moves damaged runs to another stream, so that they can still be examined and new ones take their
 * time range.
 */
export async function setRunsAside(tx: Transaction, keys: readonly RunKey[]): Promise<void> {
  if (keys.length === 0) return;
  await tx.query(
    `update history_runs r set stream = ${SET_ASIDE}
       from unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[])
              as damaged(lane, code, stream, first_at)
      where r.lane = damaged.lane and r.retailer_product_code = damaged.code
        and r.stream = damaged.stream and r.first_at = damaged.first_at
        and ${inLanes('r.lane', '$1')}
        and not exists (select from history_runs other
                         where other.lane = r.lane and ${inLanes('other.lane', '$1')} and other.stream = ${SET_ASIDE}
                           and other.retailer_product_code = r.retailer_product_code
                           and other.first_at = r.first_at)`,
    keyArrays(keys),
  );
  await deleteRuns(tx, keys); // a second damaged run with the same key is deleted
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
                              retailer_product_code, packed, summary)
     select * from unnest($1::smallint[], $2::smallint[], $3::integer[], $4::timestamptz[],
                          $5::timestamptz[], $6::bigint[], $7::text[], $8::bytea[], $9::bytea[])`,
    [
      plainArray(runs.map(({ code }) => lane(code))),
      plainArray(runs.map(({ stream }) => STREAM[stream])),
      plainArray(runs.map(({ run }) => run.count)),
      plainArray(runs.map(({ run }) => iso(run.firstAtSeconds))),
      plainArray(runs.map(({ run }) => iso(run.lastAtSeconds))),
      plainArray(runs.map(({ run }) => checksumOf(run.bytes))),
      textArray(runs.map(({ code }) => code)),
      bytesArray(runs.map(({ run }) => run.bytes)),
      bytesArray(runs.map(({ run }) => summaryOf(run.bytes))),
    ],
  );
}

/** The summary of a whole run, as it is stored beside it. */
export const summaryOf = (packed: Buffer): Buffer =>
  packSummary(summarizeBlock(packed, WHOLE_RUN).inside, checksumOf(packed));

const WHOLE_RUN = { fromAtSeconds: 0, toAtSeconds: Number.POSITIVE_INFINITY };

/** A run without its observations, unless a reader needs them. */
export type SummarizedRun = Omit<Run, 'packed'> & {
  /** Null for runs that were written before there were summaries. */
  summary: Buffer | null;
  /** Only where the summary does not do: it is absent, or the span or an edge cuts the run. */
  packed: Buffer | null;
};

export type SummarySpan = CodeSpan & { stream: Stream };

/**
 * Reads the first runs of some spans, ascending, and the run before each: its last values may still
 * hold where the span begins.
 */
const READ_SUMMARIES = heavyStatement(
  'read-run-summaries',
  `select span.position::integer as position, r.*
     from unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[], $5::timestamptz[])
            with ordinality as span(lane, code, stream, from_at, to_at, position)
    cross join lateral (
      select run.retailer_product_code, run.stream, run.first_at, run.last_at, run.observations,
             run.checksum, run.summary,
             case when substr(run.summary, 1, 2) is distinct from $8::bytea
                    or run.last_at >= span.to_at
                    or exists (select from unnest($6::timestamptz[]) as edges(edge_at)
                                where run.first_at < edge_at and run.last_at >= edge_at)
                  then run.packed end as packed
        from history_runs run
       where run.lane = span.lane and run.retailer_product_code = span.code
         and run.stream = span.stream and run.first_at < span.to_at
         and run.first_at >= coalesce(
               (select max(b.first_at) from history_runs b
                 where b.lane = span.lane and b.retailer_product_code = span.code
                   and b.stream = span.stream and b.first_at <= span.from_at
                   and ${inLanes('b.lane', '$1')}), span.from_at)
         and ${inLanes('run.lane', '$1')}
       order by run.first_at
       limit $7) r
    order by position, r.first_at`,
);

type SummaryRow = Omit<RunRow, 'packed'> & {
  position: number;
  summary: Buffer | null;
  packed: Buffer | null;
};

/** At most `limit` runs per span; `edges` cut runs besides the ends of the spans. */
export async function readSummaries(
  db: Database,
  spans: readonly SummarySpan[],
  { edges, limit }: { edges: readonly number[]; limit: number },
): Promise<SummarizedRun[][]> {
  return mapInGroups(db, spans, {
    keyOf: ({ code }) => code,
    work: async (part) => {
      const rows = await db.read<SummaryRow>(READ_SUMMARIES, [
        plainArray(part.map((span) => lane(span.code))),
        plainArray(part.map((span) => span.code)),
        plainArray(part.map((span) => STREAM[span.stream])),
        plainArray(part.map((span) => iso(span.fromAtSeconds))),
        plainArray(part.map((span) => iso(span.toAtSeconds))),
        plainArray(edges.map(iso)),
        limit,
        WHOLE_SUMMARY_HEAD,
      ]);
      const runsBySpan: SummarizedRun[][] = part.map(() => []);
      for (const { summary, packed, ...row } of rows) {
        const run = fromRow({ ...row, packed: EMPTY });
        runsBySpan[row.position - 1]?.push({ ...run, summary, packed });
      }
      return runsBySpan;
    },
  });
}

const EMPTY = Buffer.alloc(0);

/** Stores summaries of runs that have none, except those being rewritten right now. */
const FILL_SUMMARIES = statement(
  'fill-run-summaries',
  `with free as materialized (
     select r.lane, r.retailer_product_code, r.stream, r.first_at, n.summary
       from unnest($1::smallint[], $2::text[], $3::smallint[], $4::timestamptz[], $5::bigint[],
                   $6::bytea[]) as n(lane, code, stream, first_at, checksum, summary)
       join history_runs r
         on r.lane = n.lane and r.retailer_product_code = n.code and r.stream = n.stream
        and r.first_at = n.first_at and r.checksum = n.checksum and r.summary is null
        and ${inLanes('r.lane', '$1')}
        for no key update of r skip locked)
   update history_runs r set summary = free.summary
     from free
    where r.lane = free.lane and r.retailer_product_code = free.retailer_product_code
      and r.stream = free.stream and r.first_at = free.first_at and ${inLanes('r.lane', '$1')}`,
);

export async function fillSummaries(
  db: Database,
  runs: readonly (RunKey & { checksum: number; summary: Buffer })[],
): Promise<void> {
  await inGroups(db, runs, {
    keyOf: ({ code }) => code,
    work: (part) =>
      db.query(FILL_SUMMARIES, [
        ...keyArrays(part),
        plainArray(part.map(({ checksum }) => checksum)),
        bytesArray(part.map(({ summary }) => summary)),
      ]),
  });
}
