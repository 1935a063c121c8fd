// Reads from a TrueType file which characters it can draw, how wide they are, and their outlines.
// Servers have no fonts, so the one that pictures are drawn with comes with a package.
import { type Contour, glyphContours } from './glyph-outline.ts';

export type FontFace = {
  /** In parts of the font size; undefined if the font has no such character. */
  advanceOf(codePoint: number): number | undefined;
  /** In units of the font, of which `unitsPerEm` are the font size. */
  contoursOf(codePoint: number): readonly Contour[];
  unitsPerEm: number;
};

export function readFontFace(file: Buffer): FontFace {
  const tables = readTables(file);
  const head = tableOf(tables, 'head');
  const unitsPerEm = head.readUInt16BE(18);
  const outlines = {
    glyf: tableOf(tables, 'glyf'),
    loca: tableOf(tables, 'loca'),
    hasLongOffsets: head.readInt16BE(50) === 1,
  };
  const metricsCount = tableOf(tables, 'hhea').readUInt16BE(34);
  const metrics = tableOf(tables, 'hmtx');
  const glyphOf = readCharacterMap(tableOf(tables, 'cmap'));
  return {
    unitsPerEm,
    contoursOf: (codePoint) => glyphContours(outlines, glyphOf(codePoint)),
    advanceOf(codePoint) {
      const glyph = glyphOf(codePoint);
      if (glyph === 0) return undefined;
      return metrics.readUInt16BE(Math.min(glyph, metricsCount - 1) * 4) / unitsPerEm;
    },
  };
}

function readTables(file: Buffer): Map<string, Buffer> {
  const tables = new Map<string, Buffer>();
  const count = file.readUInt16BE(4);
  for (let index = 0; index < count; index++) {
    const entry = 12 + index * 16;
    const start = file.readUInt32BE(entry + 8);
    const length = file.readUInt32BE(entry + 12);
    tables.set(file.toString('latin1', entry, entry + 4), file.subarray(start, start + length));
  }
  return tables;
}

function tableOf(tables: ReadonlyMap<string, Buffer>, name: string): Buffer {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`the font has no table ${name}`);
  return table;
}

/** Format 4 holds the characters up to U+FFFF, which are all that the pictures' font has. */
function readCharacterMap(cmap: Buffer): (codePoint: number) => number {
  const count = cmap.readUInt16BE(2);
  for (let index = 0; index < count; index++) {
    const start = cmap.readUInt32BE(4 + index * 8 + 4);
    if (cmap.readUInt16BE(start) === 4) return readSegments(cmap.subarray(start));
  }
  throw new Error('the font has no character map of format 4');
}

function readSegments(table: Buffer): (codePoint: number) => number {
  const doubled = table.readUInt16BE(6);
  const [ends, starts] = [14, 16 + doubled];
  const [deltas, offsets] = [starts + doubled, starts + 2 * doubled];
  return (codePoint) => {
    if (codePoint > 0xffff) return 0;
    for (let at = 0; at < doubled; at += 2) {
      if (table.readUInt16BE(ends + at) < codePoint) continue;
      const start = table.readUInt16BE(starts + at);
      if (start > codePoint) return 0;
      const delta = table.readUInt16BE(deltas + at);
      const offset = table.readUInt16BE(offsets + at);
      if (offset === 0) return (codePoint + delta) & 0xffff;
      const glyph = table.readUInt16BE(offsets + at + offset + (codePoint - start) * 2);
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  };
}
