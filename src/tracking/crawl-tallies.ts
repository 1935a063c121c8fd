// How many of a source's snapshots lost their product, counted by all workers together.
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, type Database, statement } from '../database/database.ts';

export type StoredTally = { bucket: number; snapshots: number; losses: number };

/**
 * Older stretches are never judged: 500 snapshots lie within them, or the source is hardly asked.
 */
const BUCKETS_KEPT = 8_640;
const BUCKETS_READ_MAX = 500;

/** Ascending by stretch, so that two who count the same stretches do not wait for each other. */
const ADD = statement(
  'add-crawl-tallies',
  `insert into crawl_tallies as t (source, stretch, snapshots, losses)
   select $1, stretch, snapshots, losses
     from unnest($2::bigint[], $3::integer[], $4::integer[]) as n(stretch, snapshots, losses)
    order by stretch
   on conflict (source, stretch)
   do update set snapshots = t.snapshots + excluded.snapshots, losses = t.losses + excluded.losses`,
);

/** The newest of a source up to a stretch, ascending. */
const READ = statement(
  'read-crawl-tallies',
  `select stretch as bucket, snapshots, losses from (
     select stretch, snapshots, losses from crawl_tallies
      where source = $1 and stretch <= $2 and stretch > $2 - ${BUCKETS_KEPT}
      order by stretch desc limit ${BUCKETS_READ_MAX}) as newest
    order by stretch`,
);

/**
 * Adds to stretches, one of each, and returns those of the source up to the last of them, as they
 * are then.
 */
export async function addTallies(
  db: Connection,
  { source, tallies }: { source: string; tallies: readonly StoredTally[] },
): Promise<StoredTally[]> {
  await db.query(ADD, [
    source,
    plainArray(tallies.map(({ bucket }) => bucket)),
    plainArray(tallies.map(({ snapshots }) => snapshots)),
    plainArray(tallies.map(({ losses }) => losses)),
  ]);
  const bucket = tallies.reduce((last, tally) => Math.max(last, tally.bucket), 0);
  return readTallies(db, { source, bucket });
}

export async function readTallies(
  db: Connection | Database,
  { source, bucket }: { source: string; bucket: number },
): Promise<StoredTally[]> {
  return db.query<StoredTally>(READ, [source, bucket]);
}

export async function dropOldTallies(db: Connection): Promise<void> {
  await db.query(
    `delete from crawl_tallies t
      where t.stretch <= (select max(n.stretch) from crawl_tallies n where n.source = t.source) - $1`,
    [BUCKETS_KEPT],
  );
}
