// The statements that read pages by markers (marked-pages.ts), for any table with markers.
import { MARKER_SLOT_MS } from './markers.ts';
import { heavyStatement } from './statement.ts';

/** A table whose rows belong to an owner and are ordered by `at` and an id. */
export type MarkedTable = {
  /** Part of the names of its statements. */
  name: string;
  table: string;
  /** Columns of the owner with their types, the lane first. */
  owner: Readonly<Record<string, string>>;
  id: string;
  /** Columns that a page returns. */
  columns: string;
  /** Columns of text that follow the owner's in the index of the markers, before `at`. */
  keys: readonly string[];
  /** The filter; `first` is the number of its first parameter. */
  filter(first: number): string;
  /** A condition on the rows that are read without markers, if these have an index of their own. */
  among?: string;
};

/** A slot with more rows is dense. */
const SLOT_ROWS_MAX = 300;
const SLOT = `interval '${MARKER_SLOT_MS} milliseconds'`;

/** Parameters: the owner, the earliest instant, the position (of slots: their end), then others. */
export function statementsOf(marked: MarkedTable) {
  const { name, table, id, columns, keys, filter, among = '' } = marked;
  const n = Object.keys(marked.owner).length;
  const ofOwner = Object.entries(marked.owner)
    .map(([column, type], index) => `r.${column} = $${index + 1}::${type}`)
    .join(' and ');
  const since = `r.at >= $${n + 1}::timestamptz`;
  const [at, lastId] = [`$${n + 2}::timestamptz`, `$${n + 3}::uuid`];
  const rows = `from ${table} r
    where ${ofOwner} and ${since} and (r.at, r.${id}) < (${at}, ${lastId})`;
  // The same for a slot. With a comparison of rows PostgreSQL would begin the scan of each slot at
  // the position, not at the end of the slot.
  const notAfter = `r.at <= ${at} and (r.at < ${at} or r.${id} < ${lastId})`;
  const newestFirst = (limit: string) => `order by at desc, ${id} desc ${limit}`;
  const inSlot = `r.at >= slot.start and r.at < slot.start + ${SLOT}`;
  return {
    keys,
    slice: heavyStatement(
      `list-slice-of-${name}`,
      `select ${columns} from (select * ${rows} ${among} ${newestFirst(`limit $${n + 5}`)}) as slice
        where ${filter(n + 6)} limit $${n + 4}`,
    ),
    end: heavyStatement(
      `end-of-slice-of-${name}`,
      `select r.at, r.${id} as id ${rows} ${among} ${newestFirst(`offset $${n + 4} - 1 limit 1`)}`,
    ),
    slots: heavyStatement(
      `slots-of-${name}`,
      `select slot.start, slot.markers,
              exists (select from ${table} r where ${ofOwner} and ${inSlot}
                      offset ${SLOT_ROWS_MAX}) as is_dense
         from (select date_bin(${SLOT}, marker.at, timestamptz 'epoch') as start,
                      count(*) as markers
                 from (${markersOf(marked, { ofOwner, since })}) as marker group by 1) as slot
        order by slot.start desc`,
    ),
    inSlots: heavyStatement(
      `list-slots-of-${name}`,
      `select page.* from unnest($${n + 5}::timestamptz[]) as slot(start)
        cross join lateral (
          select ${columns} from ${table} r
           where ${ofOwner} and ${since} and ${inSlot} and ${notAfter} and ${filter(n + 6)}
          ${newestFirst(`limit $${n + 4}`)}) as page
        ${newestFirst(`limit $${n + 4}`)}`,
    ),
    lastKeys: heavyStatement(`last-keys-of-${name}`, lastKeysOf(marked, ofOwner)),
  };
}

type Conditions = { ofOwner: string; since: string };

/** The newest markers of some keys: a range of the index for each combination. */
function markersOf({ owner, table, keys }: MarkedTable, { ofOwner, since }: Conditions): string {
  const n = Object.keys(owner).length;
  const arrays = keys.map((_, index) => `$${n + 4 + index}::text[]`);
  const ofKey = keys.map((column) => `r.${column} = key.${column}`).join(' and ');
  return `select found.at
            from unnest(${arrays.join(', ')}) as key(${keys.join(', ')})
           cross join lateral (
             select r.at from ${table} r
              where ${ofOwner} and ${ofKey} and r.is_marker
                and ${since} and r.at < $${n + 2}::timestamptz
              order by r.at desc limit $${n + 3}) as found
           order by found.at desc limit $${n + 3}`;
}

/** Jumps from one value of the last key to the next; the other keys are parameters. */
function lastKeysOf({ owner, table, keys }: MarkedTable, ofOwner: string): string {
  const n = Object.keys(owner).length;
  const last = keys.at(-1);
  const others = keys.slice(0, -1).map((column, index) => `and r.${column} = $${n + 1 + index}`);
  const next = (condition: string) =>
    `select r.${last} from ${table} r
      where ${ofOwner} ${others.join(' ')} and r.is_marker and r.${last} ${condition}
      order by r.${last} limit 1`;
  return `with recursive found(key) as (
     (${next('is not null')})
     union all select (${next('> found.key')}) from found where found.key is not null)
   select key from found where key is not null`;
}
