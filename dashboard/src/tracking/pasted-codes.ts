// Extracts product codes from pasted text: lines, a CSV column, or codes and addresses of products
// separated by commas, tabs or spaces. Pure.

import { codeInAddress, isProductCode } from '../app/product-number.ts';
import { countText } from '../design/money.tsx';

/** `position` counts all pasted words, so that all can be shown in that order. */
export type PastedCode = { code: string; line: number; position: number };
export type PasteProblem = { line: number; position: number; text: string; reason: string };
export type Pasted = {
  codes: readonly PastedCode[];
  /** A word that is not sent and why: not a code, or a duplicate. */
  problems: readonly PasteProblem[];
};

/** As many as the largest plans allow at once; more are reported, not dropped silently. */
const CODES_MAX = 20_000;
const SHOWN_CHARS_MAX = 40;

export function readPastedCodes(text: string, codesMax = CODES_MAX): Pasted {
  const codes: PastedCode[] = [];
  const problems: PasteProblem[] = [];
  const firstLines = new Map<string, number>();
  let position = -1;
  for (const [index, content] of text.split(/\r\n|\r|\n/).entries()) {
    const line = index + 1;
    for (const pasted of wordsOf(content)) {
      const word = codeInAddress(pasted) ?? pasted;
      position += 1;
      const report = (reason: string) =>
        problems.push({ line, position, text: shortened(word), reason });
      const firstLine = firstLines.get(word);
      if (!isProductCode(word)) report('not a product code');
      else if (firstLine === line) report('twice in this line');
      else if (firstLine !== undefined) report(`already in line ${firstLine}`);
      else if (codes.length >= codesMax) report(`over ${countText(codesMax)} codes`);
      else {
        firstLines.set(word, line);
        codes.push({ code: word, line, position });
      }
    }
  }
  return { codes, problems };
}

/** Spreadsheets quote what they copy, and add no-break spaces and byte order marks. */
function wordsOf(content: string): string[] {
  return content
    .split(/[\s,;|\uFEFF]+/)
    .map((word) => word.replace(/^["'`]+|["'`]+$/g, ''))
    .filter((word) => word !== '');
}

const shortened = (word: string) =>
  word.length <= SHOWN_CHARS_MAX ? word : `${word.slice(0, SHOWN_CHARS_MAX - 1)}…`;
