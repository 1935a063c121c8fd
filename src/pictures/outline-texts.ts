// Replaces the texts of a picture by the outlines of their letters, for PNG: the renderer then
// needs no font, and takes half the time.
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Contour } from './glyph-outline.ts';
import { faceOf, unescaped, type Weight, widthOf } from './svg-text.ts';

/** A text as `textAt` writes it. */
const TEXT =
  /<text x="([^"]*)" y="([^"]*)" font-size="([^"]*)"( font-weight="600")?(?: text-anchor="(middle|end)")? fill="([^"]*)">([^<]*)<\/text>/g;

const contours = boundedCache<string, readonly Contour[]>(bounds.glyphOutlinesCachedMax);

export function outlineTexts(svg: string): string {
  return svg.replace(TEXT, (_, x, y, size, bold, anchor, fill, content) => {
    const weight: Weight = bold === undefined ? 'regular' : 'bold';
    const text = unescaped(content);
    const sizePx = Number(size);
    const width = widthOf(text, { sizePx, weight });
    const start = Number(x) - (anchor === 'end' ? width : anchor === 'middle' ? width / 2 : 0);
    const scale = Math.round((sizePx / faceOf(weight).unitsPerEm) * 1e6) / 1e6;
    const place = `translate(${start.toFixed(2)} ${y})scale(${scale} -${scale})`;
    return `<path transform="${place}" fill="${fill}" d="${outlineOf(text, weight)}"/>`;
  });
}

/** In units of the font, from the start of the text. */
function outlineOf(text: string, weight: Weight): string {
  const face = faceOf(weight);
  let data = '';
  let at = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) as number;
    const advance = face.advanceOf(codePoint);
    if (advance === undefined) continue;
    const key = `${weight} ${codePoint}`;
    const lines = contours.get(key) ?? face.contoursOf(codePoint);
    contours.set(key, lines);
    for (const line of lines) data += `M${Math.round(at) + line.x} ${line.y}${line.data}`;
    at += advance * face.unitsPerEm;
  }
  return data;
}
