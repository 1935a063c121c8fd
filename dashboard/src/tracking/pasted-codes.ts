// Product codes out of pasted text: lines, a CSV column, or codes between commas, tabs and spaces. Pure.

import { isProductCode } from '../app/product-number.ts';
import { countText } from '../design/money.tsx';

/** `place` counts everything that was pasted, so that all of it can be shown in that order again. */
export type PastedCode = { code: string; line: number; place: number };
export type PasteProblem = { line: number; place: number; text: string; reason: string };
export type Pasted = {
  codes: readonly PastedCode[];
  /** What is not sent, and why: no code, or one that was there already. */
  problems: readonly PasteProblem[];
};

/** As many as the largest plans allow in one go; more is told, not cut off in silence. */
const CODES_MAX = 20_000;
const SHOWN_CHARS_MAX = 40;

export function readPastedCodes(text: string, codesMax = CODES_MAX): Pasted {
  const codes: PastedCode[] = [];
  const problems: PasteProblem[] = [];
  const firstLines = new Map<string, number>();
  let place = -1;
  for (const [index, content] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1;
    for (const word of wordsOf(content)) {
      place += 1;
      const tell = (reason: string) =>
        problems.push({ line, place, text: shortened(word), reason });
      const firstLine = firstLines.get(word);
      if (!isProductCode(word)) tell('not a product code');
      else if (firstLine === line) tell('twice in this line');
      else if (firstLine !== undefined) tell(`already in line ${firstLine}`);
      else if (codes.length >= codesMax) tell(`over ${countText(codesMax)} codes`);
      else {
        firstLines.set(word, line);
        codes.push({ code: word, line, place });
      }
    }
  }
  return { codes, problems };
}

/** Spreadsheets quote what they copy, and put no-break spaces and marks of byte order in. */
function wordsOf(content: string): string[] {
  return content
    .split(/[\s,;|\uFEFF]+/)
    .map((word) => word.replace(/^["'`]+|["'`]+$/g, ''))
    .filter((word) => word !== '');
}

const shortened = (word: string) =>
  word.length <= SHOWN_CHARS_MAX ? word : `${word.slice(0, SHOWN_CHARS_MAX - 1)}…`;
