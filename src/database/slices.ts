// Pages of rows that match a filter without an index: reads the rows of one owner in slices of
// bounded size, small ones first, so that no statement runs longer for a rare match.

export const FIRST_SLICE_ROWS = 200;
export const SLICE_ROWS_MAX = 20_000;

export type SliceReader<Row, Position> = {
  /** Matching rows among the next `rows` rows before a position. */
  matches(before: Position, rows: number, limit: number): Promise<Row[]>;
  /** The last of these rows, matching or not; undefined when there are fewer. */
  end(before: Position, rows: number): Promise<Position | undefined>;
};

/** Reads up to `limit` matching rows from a position on. */
export async function readSlices<Row, Position>(
  reader: SliceReader<Row, Position>,
  { before, limit }: { before: Position; limit: number },
): Promise<Row[]> {
  const page: Row[] = [];
  let position = before;
  for (let rows = FIRST_SLICE_ROWS; ; rows = Math.min(rows * 10, SLICE_ROWS_MAX)) {
    page.push(...(await reader.matches(position, rows, limit - page.length)));
    if (page.length === limit) return page;
    const end = await reader.end(position, rows);
    if (end === undefined) return page;
    position = end;
  }
}
