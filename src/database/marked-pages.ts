// Pages of rows that match a filter, newest first, found by their markers (markers.ts). The newest
// rows are read first, without markers: most filters find their page there. No statement reads more
// than a bounded number of rows, however rare a match is.
import { isoTime } from '../foundation/clock.ts';
import { type MarkedTable, statementsOf } from './marked-statements.ts';
import { MARKER_SLOT_MS, slotStartMs } from './markers.ts';
import { FIRST_SLICE_ROWS, readSlices, type SliceReader } from './slices.ts';
import type { Connection } from './statement.ts';

export type RowPosition = { atMs: number; id: string };

/** What to read. */
export type MarkedPage = {
  /** Values of the owner's columns. */
  owner: readonly unknown[];
  before: RowPosition;
  /** Only rows from this instant on. */
  fromAtMs?: number | undefined;
  limit: number;
  /** Values of the filter's parameters. */
  filter: readonly unknown[];
  /**
   * Values of the table's keys: every combination that a matching row may have. Called if the
   * newest rows are not enough. Without it all rows are read in slices.
   */
  keys?: (() => Promise<readonly (readonly string[])[]>) | undefined;
};

const SLOTS_AT_ONCE = 64;
/** Before every id of its instant. */
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** A slot with a marker. A dense one has many rows and is read in slices. */
type Slot = { startAtMs: number; isDense: boolean };

export function markedPages<Row>(table: MarkedTable) {
  const statements = statementsOf(table);
  const reading = (db: Connection, page: MarkedPage) => createReader<Row>(db, statements, page);
  return {
    async read(db: Connection, input: MarkedPage): Promise<Row[]> {
      const { before, limit } = input;
      const { newest, slots, inSlots } = reading(db, input);
      if (input.keys === undefined) return readSlices(newest, input);
      const page = await newest.matches(before, FIRST_SLICE_ROWS, limit);
      if (page.length === limit) return page;
      let position = await newest.end(before, FIRST_SLICE_ROWS);
      if (position === undefined) return page;
      const keys = await input.keys();
      for (;;) {
        const next = await slots(position, keys);
        for (const run of runsOf(next.slots)) {
          page.push(...(await inSlots(run, position, limit - page.length)));
          if (page.length === limit) return page;
        }
        if (next.isLast) return page;
        position = { atMs: next.slots.at(-1)?.startAtMs as number, id: FIRST_ID };
      }
    },
    /** The values of the last key that rows with these other keys have. */
    async lastKeys(db: Connection, ownerAndKeys: readonly unknown[]): Promise<string[]> {
      const rows = await db.query<{ key: string }>(statements.lastKeys, ownerAndKeys);
      return rows.map(({ key }) => key);
    },
  };
}

/** The statements with the values of one page. */
function createReader<Row>(
  db: Connection,
  statements: ReturnType<typeof statementsOf>,
  { owner, fromAtMs, filter }: MarkedPage,
) {
  const instant = (atMs: number | undefined) => (atMs === undefined ? '-infinity' : isoTime(atMs));
  const slices = (sinceAtMs: number | undefined): SliceReader<Row, RowPosition> => {
    const range = ({ atMs, id }: RowPosition) => [...owner, instant(sinceAtMs), isoTime(atMs), id];
    return {
      matches: (before, rows, limit) =>
        db.query<Row>(statements.slice, [...range(before), limit, rows, ...filter]),
      async end(before, rows) {
        const [row] = await db.query<{ at: number; id: string }>(statements.end, [
          ...range(before),
          rows,
        ]);
        return row && { atMs: row.at, id: row.id };
      },
    };
  };
  const inDenseSlot = ({ startAtMs }: Slot, before: RowPosition, limit: number) => {
    const endAtMs = startAtMs + MARKER_SLOT_MS;
    return readSlices(slices(Math.max(startAtMs, fromAtMs ?? startAtMs)), {
      before: before.atMs < endAtMs ? before : { atMs: endAtMs, id: FIRST_ID },
      limit,
    });
  };
  return {
    newest: slices(fromAtMs),
    /** The next slots with a marker of one of the keys, newest first. */
    async slots({ atMs }: RowPosition, keys: readonly (readonly string[])[]) {
      const rows = await db.query<{ start: number; markers: number; is_dense: boolean }>(
        statements.slots,
        [
          ...owner,
          instant(fromAtMs === undefined ? undefined : slotStartMs(fromAtMs)),
          isoTime(slotStartMs(atMs) + MARKER_SLOT_MS),
          SLOTS_AT_ONCE,
          ...statements.keys.map((_, column) => keys.map((values) => values[column])),
        ],
      );
      const markers = rows.reduce((sum, row) => sum + row.markers, 0);
      const slots = rows.map((row): Slot => ({ startAtMs: row.start, isDense: row.is_dense }));
      return { slots, isLast: markers < SLOTS_AT_ONCE };
    },
    inSlots(slots: readonly Slot[], before: RowPosition, limit: number): Promise<Row[]> {
      const [first] = slots as [Slot];
      if (first.isDense) return inDenseSlot(first, before, limit);
      const starts = slots.map(({ startAtMs }) => isoTime(startAtMs));
      const range = [...owner, instant(fromAtMs), isoTime(before.atMs), before.id];
      return db.query<Row>(statements.inSlots, [...range, limit, starts, ...filter]);
    },
  };
}

/** Slots to read by one statement: neighbours together, but each dense one alone. */
function runsOf(slots: readonly Slot[]): Slot[][] {
  const runs: Slot[][] = [];
  for (const slot of slots) {
    const last = runs.at(-1);
    if (last === undefined || slot.isDense || last[0]?.isDense) runs.push([slot]);
    else last.push(slot);
  }
  return runs;
}
