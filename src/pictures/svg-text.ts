// Text in a picture: cleaned, measured, shortened and escaped, so that no name breaks out of its
// place or of the document.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { type FontFace, readFontFace } from './font-face.ts';

const packages = createRequire(import.meta.url);

/** The two weights that pictures use. */
export const FONT_FILES = {
  regular: packages.resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
  bold: packages.resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
} as const;

export type Weight = keyof typeof FONT_FILES;

export type TextStyle = { sizePx: number; weight?: Weight };

/** Read when the first picture is drawn. */
const faces = new Map<Weight, FontFace>();

export function faceOf(weight: Weight): FontFace {
  const cached = faces.get(weight);
  if (cached !== undefined) return cached;
  const face = readFontFace(readFileSync(FONT_FILES[weight]));
  faces.set(weight, face);
  return face;
}

const advances = boundedCache<number, number>(bounds.fontAdvancesCachedMax);

const NOT_IN_FONT = -1;

/** In parts of the font size; undefined if the font cannot draw it. */
function advanceOf(codePoint: number, weight: Weight): number | undefined {
  const key = codePoint * 2 + (weight === 'bold' ? 1 : 0);
  const advance = advances.get(key) ?? faceOf(weight).advanceOf(codePoint) ?? NOT_IN_FONT;
  advances.set(key, advance);
  return advance === NOT_IN_FONT ? undefined : advance;
}

/** Of characters that only the reader's own fonts can draw: Chinese ones are as wide as high. */
const OTHER_ADVANCE = 1;

export function widthOf(text: string, { sizePx, weight = 'regular' }: TextStyle): number {
  let width = 0;
  for (const character of text) {
    if (/^\p{M}$/u.test(character)) continue;
    width += advanceOf(character.codePointAt(0) as number, weight) ?? OTHER_ADVANCE;
  }
  return width * sizePx;
}

/**
 * One line without what a name must not contain in a picture: control characters, those that
 * change the direction of the text after them, and towers of accents.
 */
export function cleanText(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .replace(/[\p{Bidi_Control}\p{Cn}\p{Co}\uFFF9-\uFFFD]/gu, '')
    .replace(/(\p{M}{3})\p{M}+/gu, '$1')
    .trim();
}

/** Without the characters that the font of PNG pictures cannot draw. */
export function drawableText(text: string): string {
  let drawable = '';
  for (const character of text) {
    const isKnown = advanceOf(character.codePointAt(0) as number, 'bold') !== undefined;
    if (isKnown) drawable += character;
  }
  return drawable.replace(/ {2,}/g, ' ').trim();
}

/** Cut at the end, with an ellipsis, so that it fits. */
export function fittedText(text: string, widthMaxPx: number, style: TextStyle): string {
  if (text.length <= TEXT_CHARS_MAX && widthOf(text, style) <= widthMaxPx) return text;
  let fitted = '';
  for (const { segment } of GRAPHEMES.segment(text.slice(0, TEXT_CHARS_MAX))) {
    if (widthOf(`${fitted}${segment}…`, style) > widthMaxPx) break;
    fitted += segment;
  }
  return `${fitted.trimEnd()}…`;
}

const TEXT_CHARS_MAX = 300;
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A coordinate, to a tenth of a pixel. */
export const px = (value: number): string => String(Math.round(value * 10) / 10);

/** For the content of elements and for attributes. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string);

const USD_WHOLE = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const USD_CENTS = new Intl.NumberFormat('en-US', {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});

/** "$1,234.50" */
export const priceText = (cents: number): string => `$${USD_CENTS.format(cents / 100)}`;

/** "$1,234" if the step of the axis is whole dollars. */
export const priceTickText = (cents: number, stepCents: number): string =>
  stepCents % 100 === 0 ? `$${USD_WHOLE.format(cents / 100)}` : priceText(cents);

/** "1,234" */
export const countText = (count: number): string => USD_WHOLE.format(count);

/** "1,234", "12k", "1.2M" */
export function countTickText(count: number): string {
  if (count >= 1_000_000) return `${Math.round(count / 100_000) / 10}M`;
  if (count >= 10_000) return `${Math.round(count / 100) / 10}k`;
  return USD_WHOLE.format(count);
}

const CHARACTERS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ENTITIES).map(([character, entity]) => [entity, character]),
);

/** The reverse of `escaped`. */
export const unescaped = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => CHARACTERS[entity] as string);
