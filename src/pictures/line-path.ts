// The path of a line through the columns of a track. The value holds from one column to the next;
// where nearly every column has several values, a band from the least to the greatest is drawn.
import { type ColumnTrack, HAS_NUMBER } from './column-track.ts';
import { PathWriter } from './path-writer.ts';

export type Placement = { x(column: number): number; y(value: number): number };

/** Columns with numbers that follow each other, the end exclusive. */
type Stretch = readonly [start: number, end: number];

/** Above this share of columns with several values single strokes would merge into a block. */
const BAND_FROM = 0.4;

export function linePaths(
  track: ColumnTrack,
  place: Placement,
): { line: string; band: string | null } {
  const stretches = numberStretches(track.contents);
  const isDense = isVolatile(track, stretches);
  const [line, band] = [new PathWriter(), new PathWriter()];
  for (const stretch of stretches) {
    if (isDense) {
      drawLast(line, track, place, stretch);
      drawBand(band, track, place, stretch);
    } else drawEvery(line, track, place, stretch);
  }
  return { line: line.data(), band: isDense ? band.data() : null };
}

function numberStretches(contents: Uint8Array): Stretch[] {
  const stretches: Stretch[] = [];
  let start = -1;
  for (let column = 0; column <= contents.length; column++) {
    const hasNumber = ((contents[column] ?? 0) & HAS_NUMBER) !== 0;
    if (hasNumber && start < 0) start = column;
    if (hasNumber || start < 0) continue;
    stretches.push([start, column]);
    start = -1;
  }
  return stretches;
}

function isVolatile(track: ColumnTrack, stretches: readonly Stretch[]): boolean {
  let [columns, changing] = [0, 0];
  for (const [start, end] of stretches) {
    for (let column = start; column < end; column++) {
      columns++;
      if ((track.max[column] as number) > (track.min[column] as number)) changing++;
    }
  }
  return changing > columns * BAND_FROM;
}

type Draw = (path: PathWriter, track: ColumnTrack, place: Placement, stretch: Stretch) => void;

/** Through the least and the greatest value of every column: no short drop is lost. */
const drawEvery: Draw = (path, track, { x, y }, [start, end]) => {
  let before = Number.NaN;
  for (let column = start; column < end; column++) {
    const [low, high] = [track.min[column] as number, track.max[column] as number];
    const last = track.last[column] as number;
    if (column === start) {
      before = last === low ? high : low;
      path.moveTo(x(column), y(before));
    }
    if (low === before && high === before) continue;
    path.acrossTo(x(column));
    const stops = last === low ? [high, low] : last === high ? [low, high] : [low, high, last];
    for (const stop of stops) path.upTo(y(stop));
    before = last;
  }
  path.acrossTo(x(end));
};

/** Columns that a dense line draws as one: its points are three pixels apart. */
const JOINED = 3;

type Joint = { x: number; low: number; high: number; last: number };

function* joints(track: ColumnTrack, { x, y }: Placement, [start, end]: Stretch): Generator<Joint> {
  for (let column = start; column < end; column += JOINED) {
    const next = Math.min(column + JOINED, end);
    yield {
      x: (x(column) + x(next)) / 2,
      low: y(Math.min(...track.min.subarray(column, next))),
      high: y(Math.max(...track.max.subarray(column, next))),
      last: y(track.last[next - 1] as number),
    };
  }
}

/** Through the last value of all columns. */
const drawLast: Draw = (path, track, place, stretch) => {
  const [start, end] = stretch;
  path.moveTo(place.x(start), place.y(track.last[start] as number));
  for (const { x, last } of joints(track, place, stretch)) path.lineTo(x, last);
  path.lineTo(place.x(end), place.y(track.last[end - 1] as number));
};

const drawBand: Draw = (path, track, place, stretch) => {
  const [start, end] = stretch;
  const all = [...joints(track, place, stretch)];
  path.moveTo(place.x(start), all[0]?.high ?? 0);
  for (const { x, high } of all) path.lineTo(x, high);
  path.acrossTo(place.x(end));
  path.upTo(all.at(-1)?.low ?? 0);
  for (const { x, low } of all.reverse()) path.lineTo(x, low);
  path.acrossTo(place.x(start));
  path.close();
};
