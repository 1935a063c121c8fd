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

const middle = (x: Placement['x'], column: number) => (x(column) + x(column + 1)) / 2;

/** Through the last value of every column. */
const drawLast: Draw = (path, track, { x, y }, [start, end]) => {
  path.moveTo(x(start), y(track.last[start] as number));
  for (let column = start + 1; column < end; column++) {
    path.lineTo(middle(x, column), y(track.last[column] as number));
  }
  path.acrossTo(x(end));
};

const drawBand: Draw = (path, track, { x, y }, [start, end]) => {
  path.moveTo(x(start), y(track.max[start] as number));
  for (let column = start; column < end; column++) {
    path.lineTo(middle(x, column), y(track.max[column] as number));
  }
  path.acrossTo(x(end));
  path.upTo(y(track.min[end - 1] as number));
  for (let column = end - 1; column >= start; column--) {
    path.lineTo(middle(x, column), y(track.min[column] as number));
  }
  path.acrossTo(x(start));
  path.close();
};
