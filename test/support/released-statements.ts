// The SQL of the release before, as its tests sent it. scripts/record-statements.ts writes it.
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { SentStatement } from '../../src/database/pool.ts';

export const RELEASED_STATEMENTS = fileURLToPath(
  new URL('../fixtures/released-statements.json', import.meta.url),
);

export type ReleasedStatements = {
  release: string;
  newestMigration: number;
  /** Sorted texts, with the lane conditions that only several servers need. */
  statements: string[];
};

export const readReleasedStatements = (): ReleasedStatements =>
  JSON.parse(readFileSync(RELEASED_STATEMENTS, 'utf8'));

const recordTo = process.env.RECORD_STATEMENTS;
const recorded = new Set<string>();

/** Appends a statement of the program to the file RECORD_STATEMENTS, if that is set. */
export function recordStatement({ what }: SentStatement, isSentBySource: () => boolean): void {
  if (recordTo === undefined) return;
  const text = typeof what === 'string' ? what : what.text;
  if (recorded.has(text) || !isSentBySource()) return;
  recorded.add(text);
  appendFileSync(recordTo, `${JSON.stringify(text)}\n`);
}
