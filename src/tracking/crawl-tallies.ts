// Tallies of a source's snapshots and of those that lost their product, shared by all workers. The
// column `stretch` has the number of the 10-second bucket.
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, type Database, statement } from '../database/database.ts';

export type StoredTally = { bucket: number; snapshots: number; losses: number };

/**
 * One day. Older buckets are never judged: 500 snapshots are newer, or the source is hardly used.
 */
const BUCKETS_KEPT = 8_640;
const BUCKETS_READ_MAX = 500;

/** In ascending order, so that two processes that count the same buckets do not deadlock. */
const ADD = statement(
  'add-crawl-tallies',
  `insert into crawl_tallies as t (source, stretch, snapshots, losses)
   select $1, stretch, snapshots, losses
     from unnest($2::bigint[], $3::integer[], $4::integer[]) as n(stretch, snapshots, losses)
    order by stretch
   on conflict (source, stretch)
   do update set snapshots = t.snapshots + excluded.snapshots, losses = t.losses + excluded.losses`,
);

/** The newest tallies of a source up to a bucket, ascending. */
const READ = statement(
  'read-crawl-tallies',
  `select stretch as bucket, snapshots, losses from (
     select stretch, snapshots, losses from crawl_tallies
      where source = $1 and stretch <= $2 and stretch > $2 - ${BUCKETS_KEPT}
      order by stretch desc limit ${BUCKETS_READ_MAX}) as newest
    order by stretch`,
);

/** Adds tallies, one per bucket; returns the source's tallies up to the last of these buckets. */
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

const DROP_OLD = statement(
  'drop-old-tallies',
  `delete from crawl_tallies t
    where t.stretch <= (select max(n.stretch) from crawl_tallies n where n.source = t.source) - $1`,
);

export async function dropOldTallies(db: Connection): Promise<void> {
  await db.query(DROP_OLD, [BUCKETS_KEPT]);
}
