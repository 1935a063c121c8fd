// The quarantine: items that failed alone in shared work, until an operator retries or drops them.
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, type Database, inLanes } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { fromEachGroup } from '../database/lane-groups.ts';
import { isoTime } from '../foundation/clock.ts';
import { idFrom } from '../foundation/id.ts';

export type ItemKey = {
  /** The account id or product code, which determines the lane. */
  owner: string;
  /** The slug of the loop. */
  loop: string;
  /** The item within the loop. */
  item: string;
};

export type QuarantinedItem = ItemKey & {
  quarantineId: string;
  reason: string;
  tries: number;
  firstAtMs: number;
  lastAtMs: number;
  /** What a retry needs. */
  payload: unknown;
};

type QuarantinedRow = {
  quarantine_id: string;
  owner: string;
  loop: string;
  item: string;
  reason: string;
  tries: number;
  first_at: number;
  last_at: number;
  payload: string | null;
};

const COLUMNS = 'quarantine_id, owner, loop, item, reason, tries, first_at, last_at, payload';

const fromRow = (row: QuarantinedRow): QuarantinedItem => ({
  quarantineId: row.quarantine_id,
  owner: row.owner,
  loop: row.loop,
  item: row.item,
  reason: row.reason,
  tries: row.tries,
  firstAtMs: row.first_at,
  lastAtMs: row.last_at,
  payload: row.payload === null ? null : JSON.parse(row.payload),
});

/** Stable per item: an item that fails again is counted, not listed twice. */
export const quarantineId = ({ owner, loop, item }: ItemKey): string =>
  idFrom('quarantine', loop, owner, item);

/** Call in the transaction that removes the item from its loop, if there is one. */
export async function putInQuarantine(
  tx: Connection,
  { payload, ...input }: ItemKey & { reason: string; payload: unknown; atMs: number },
): Promise<void> {
  await tx.query(
    `insert into quarantined_items as q (lane, ${COLUMNS})
     values ($1, $2, $3, $4, $5, $6, 1, $7, $7, $8)
     on conflict (lane, quarantine_id) do update
        set reason = excluded.reason, tries = q.tries + 1, last_at = excluded.last_at,
            payload = excluded.payload`,
    [
      lane(input.owner),
      quarantineId(input),
      input.owner,
      input.loop,
      input.item,
      input.reason,
      isoTime(input.atMs),
      payload === null ? null : JSON.stringify(payload),
    ],
  );
}

/** Oldest first; of one loop if named. */
export async function listQuarantined(
  db: Database,
  { loop = null, limit }: { loop?: string | null; limit: number },
): Promise<QuarantinedItem[]> {
  const rows = await db.read<QuarantinedRow>(
    `select ${COLUMNS} from quarantined_items where $1::text is null or loop = $1
      order by loop, first_at, quarantine_id limit $2`,
    [loop, limit],
  );
  return rows.map(fromRow);
}

export async function findQuarantined(
  db: Database,
  id: string,
): Promise<QuarantinedItem | undefined> {
  const [row] = await db.read<QuarantinedRow>(
    `select ${COLUMNS} from quarantined_items where quarantine_id = $1`,
    [id],
  );
  return row && fromRow(row);
}

/** Removes an item. Returns false if it is gone, or has failed again since it was read. */
export async function removeQuarantined(
  tx: Connection,
  { owner, quarantineId: id, tries }: QuarantinedItem,
): Promise<boolean> {
  const rows = await tx.query(
    `delete from quarantined_items where lane = $1 and quarantine_id = $2 and tries = $3
     returning quarantine_id`,
    [lane(owner), id, tries],
  );
  return rows.length === 1;
}

/**
 * Items of a loop that skips them itself, because it claims from no table that could be changed.
 * Without those of a lane group that cannot be read: the loop cannot read their rows either.
 */
export async function quarantinedKeys(db: Database, loop: string): Promise<Set<string>> {
  const rows = await fromEachGroup(db, (lanes) =>
    db.read<{ item: string }>(
      `select q.item from quarantined_items q where ${inLanes('q.lane', '$1')} and q.loop = $2`,
      [plainArray(lanes), loop],
    ),
  );
  return new Set(rows.map(({ item }) => item));
}

export async function countQuarantined(
  db: Database,
): Promise<{ loop: string; items: number; firstAtMs: number }[]> {
  const rows = await db.read<{ loop: string; items: number; first_at: number }>(
    `select loop, count(*) as items, min(first_at) as first_at from quarantined_items
      group by loop order by loop`,
  );
  return rows.map(({ loop, items, first_at }) => ({ loop, items, firstAtMs: first_at }));
}
