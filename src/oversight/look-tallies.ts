// How many of a source's looks lost their product, counted by all workers together.
import { type Connection, statement } from '../database/database.ts';

export type StoredTally = { stretch: number; looks: number; losses: number };

/** Older stretches are never judged: 500 looks lie within them, or the source is hardly asked. */
const STRETCHES_KEPT = 8_640;

/** Adds to a stretch and answers those of the source, ascending, as they are then. */
const ADD = statement(
  'add-look-tally',
  `with added as (
     insert into look_tallies as t (source, stretch, looks, losses) values ($1, $2, $3, $4)
     on conflict (source, stretch)
     do update set looks = t.looks + excluded.looks, losses = t.losses + excluded.losses
     returning stretch, looks, losses)
   select stretch, looks, losses from added
   union all
   (select stretch, looks, losses from look_tallies
     where source = $1 and stretch <> $2 and stretch > $2 - ${STRETCHES_KEPT}
     order by stretch desc limit 500)
   order by stretch`,
);

export async function addTally(
  db: Connection,
  { source, tally }: { source: string; tally: StoredTally },
): Promise<StoredTally[]> {
  return db.query<StoredTally>(ADD, [source, tally.stretch, tally.looks, tally.losses]);
}

export async function dropOldTallies(db: Connection): Promise<void> {
  await db.query(
    `delete from look_tallies t
      where t.stretch <= (select max(n.stretch) from look_tallies n where n.source = t.source) - $1`,
    [STRETCHES_KEPT],
  );
}
