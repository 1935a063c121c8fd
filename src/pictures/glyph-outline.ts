// Reads the outlines of a TrueType font as SVG path data, in units of the font. Rendering text
// itself takes the renderer 60 µs a character, because it opens the font for each of them.

/** One closed line: where it starts, and its data relative to that point. */
export type Contour = { x: number; y: number; data: string };

type Point = { x: number; y: number; isOnCurve: boolean };

export type GlyphTables = { glyf: Buffer; loca: Buffer; hasLongOffsets: boolean };

const COMPONENTS_DEPTH_MAX = 4;

/** The contours of a glyph; y grows upwards. */
export function glyphContours(tables: GlyphTables, glyph: number): Contour[] {
  return glyphLines(tables, glyph, 0).map(contourOf);
}

function glyphLines(tables: GlyphTables, glyph: number, depth: number): Point[][] {
  const { loca, hasLongOffsets, glyf } = tables;
  const offsetOf = (index: number) =>
    hasLongOffsets ? loca.readUInt32BE(index * 4) : loca.readUInt16BE(index * 2) * 2;
  const [start, end] = [offsetOf(glyph), offsetOf(glyph + 1)];
  if (start === end || depth > COMPONENTS_DEPTH_MAX) return [];
  const data = glyf.subarray(start, end);
  const count = data.readInt16BE(0);
  return count >= 0 ? simpleLines(data, count) : composedLines(tables, data, depth);
}

const ON_CURVE = 1;
const SHORT = [2, 4] as const;
const REPEATED = 8;
const SAME_OR_POSITIVE = [16, 32] as const;

function simpleLines(data: Buffer, count: number): Point[][] {
  const ends = Array.from({ length: count }, (_, index) => data.readUInt16BE(10 + index * 2));
  const pointCount = (ends.at(-1) ?? -1) + 1;
  let at = 10 + count * 2;
  at += 2 + data.readUInt16BE(at);
  const flags: number[] = [];
  while (flags.length < pointCount) {
    const flag = data.readUInt8(at++);
    const repeats = (flag & REPEATED) === 0 ? 0 : data.readUInt8(at++);
    for (let index = 0; index <= repeats; index++) flags.push(flag);
  }
  const readAxis = (axis: 0 | 1): number[] => {
    let value = 0;
    return flags.map((flag) => {
      const isSame = (flag & SAME_OR_POSITIVE[axis]) !== 0;
      if ((flag & SHORT[axis]) !== 0)
        value += isSame ? data.readUInt8(at++) : -data.readUInt8(at++);
      else if (!isSame) {
        value += data.readInt16BE(at);
        at += 2;
      }
      return value;
    });
  };
  const xs = readAxis(0);
  const ys = readAxis(1);
  const points = flags.map((flag, index) => ({
    x: xs[index] as number,
    y: ys[index] as number,
    isOnCurve: (flag & ON_CURVE) !== 0,
  }));
  return ends.map((end, index) => points.slice((ends[index - 1] ?? -1) + 1, end + 1));
}

const ARE_WORDS = 1;
const ARE_OFFSETS = 2;
const MORE = 32;
/** Scaled components, of 2, 4 or 8 bytes; no letter of the pictures' font has one. */
const SCALED = [
  [8, 2],
  [64, 4],
  [128, 8],
] as const;

/** A letter and its accents, each moved to its place. */
function composedLines(tables: GlyphTables, data: Buffer, depth: number): Point[][] {
  const lines: Point[][] = [];
  let at = 10;
  for (let flags = MORE; (flags & MORE) !== 0; ) {
    flags = data.readUInt16BE(at);
    const glyph = data.readUInt16BE(at + 2);
    const isWide = (flags & ARE_WORDS) !== 0;
    const [dx, dy] =
      (flags & ARE_OFFSETS) === 0
        ? [0, 0]
        : isWide
          ? [data.readInt16BE(at + 4), data.readInt16BE(at + 6)]
          : [data.readInt8(at + 4), data.readInt8(at + 5)];
    at += isWide ? 8 : 6;
    for (const [flag, bytes] of SCALED) if ((flags & flag) !== 0) at += bytes;
    for (const line of glyphLines(tables, glyph, depth + 1)) {
      lines.push(line.map((point) => ({ ...point, x: point.x + dx, y: point.y + dy })));
    }
  }
  return lines;
}

/** Between two points beside the curve lies one on it, in the middle. */
function contourOf(line: readonly Point[]): Contour {
  const middle = (a: Point, b: Point) => ({ x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 });
  const first = line.findIndex(({ isOnCurve }) => isOnCurve);
  const turned = first < 0 ? line : [...line.slice(first), ...line.slice(0, first)];
  const start = first < 0 ? middle(line.at(-1) as Point, line[0] as Point) : (turned[0] as Point);
  let pen: { x: number; y: number } = start;
  let control: Point | null = null;
  let data = '';
  const to = (end: { x: number; y: number }) => {
    data +=
      control === null
        ? `l${end.x - pen.x} ${end.y - pen.y}`
        : `q${control.x - pen.x} ${control.y - pen.y} ${end.x - pen.x} ${end.y - pen.y}`;
    pen = end;
  };
  for (const point of first < 0 ? turned : turned.slice(1)) {
    if (point.isOnCurve) {
      to(point);
      control = null;
    } else {
      if (control !== null) to(middle(control, point));
      control = point;
    }
  }
  if (control !== null) to(start);
  return { x: start.x, y: start.y, data: `${data}z` };
}
