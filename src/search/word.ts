// Words of names and of search texts: letters and digits, without case and accents. Everything else
// separates words, so that no operator or pattern has a meaning.
import { hash } from 'node:crypto';

/** Text without case and accents: Café, CAFE and café are the same. */
export function folded(text: string): string {
  return text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase();
}

const WORD = /[\p{L}\p{N}]+/gu;
const WORD_CHARS_MAX = 40;

/** The distinct words of a text in their order, at most `countMax`. */
export function wordsOf(text: string, countMax: number): string[] {
  const words = new Set<string>();
  for (const [word] of folded(text).matchAll(WORD)) {
    if (words.size >= countMax) break;
    words.add([...word].slice(0, WORD_CHARS_MAX).join(''));
  }
  return [...words];
}

const SHORTEST_CORRECTED = 4;

/** Whether typing errors in a word are corrected: short words and model numbers match too much. */
export const isCorrectable = (word: string): boolean =>
  word.length >= SHORTEST_CORRECTED && /^\p{L}+$/u.test(word);

/** Typing errors that are tolerated in a word. */
export const errorsMax = (word: string): number => (word.length < 6 ? 1 : 2);

/**
 * The number of typing errors between two words: a letter more, less, other, or two exchanged.
 * Above `max` any number above it is returned.
 */
export function typingErrors(a: string, b: string, max: number): number {
  if (Math.abs(a.length - b.length) > max) return max + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (last[j] as number) + 1,
        (row[j - 1] as number) + 1,
        (last[j - 1] as number) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast[j - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[b.length] as number;
}

/** A number for a text, whatever its case and accents, by which rows are compared and indexed. */
export const textKey = (text: string): string =>
  hash('sha256', folded(text).trim().replace(/\s+/g, ' '), 'buffer').readBigInt64BE(0).toString();

/** Separates the levels of a category path. */
const PATH_SEPARATOR = ' > ';

/** The keys of a product's categories: of each name, and of the path down to each of them. */
export function categoryKeys(categories: readonly string[]): string[] {
  const paths = categories.map((_, index) =>
    categories
      .slice(0, index + 1)
      .map(trimmed)
      .join(PATH_SEPARATOR),
  );
  return [...new Set([...categories, ...paths].map(textKey))];
}

const trimmed = (text: string) => text.trim();
