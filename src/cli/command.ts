// Type of an operator command: its arguments, options and result, and helpers to read and print
// them.
import type { ParseArgsConfig } from 'node:util';
import type { App } from '../app.ts';
import type { Settings } from '../config.ts';
import type { Log } from '../foundation/log.ts';
import type { Store } from '../store.ts';

/** The arguments or options are wrong: exit 2. */
export class WrongUsage extends Error {}

export type Result = {
  /** Printed with --json. */
  json: unknown;
  /** Printed without --json. */
  text: string;
  /** 1 when a check failed or something was refused; 0 by default. */
  exitCode?: 0 | 1;
};

/** One line of doctor. */
export type Check = { name: string; ok: boolean; detail: string; advice?: string };

export type Options = Record<string, string | boolean | undefined>;

export type CommandInput = { words: string[]; options: Options };

export type Command = {
  /** As typed, such as "account create". */
  name: string;
  /** Names of the positional arguments, all required. */
  words: readonly string[];
  usage: string;
  options?: ParseArgsConfig['options'];
} & (
  | { on: 'app'; run(app: App, input: CommandInput): Promise<Result> }
  /** Works on the database without migrating it first. */
  | { on: 'store'; run(context: StoreContext, input: CommandInput): Promise<Result> }
  /** Needs no database and no settings. May run until stopped and print results meanwhile. */
  | { on: 'nothing'; run(say: Say, input: CommandInput): Promise<Result> }
);

/** Prints immediately, as text or as JSON. */
export type Say = (result: Pick<Result, 'json' | 'text'>) => void;

export type StoreContext = { store: Store; settings: Settings; log: Log };

export function requiredOption(options: Options, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value === '') throw new WrongUsage(`--${name} is required.`);
  return value;
}

/** Parses a whole number from 0 to `max`. */
export function wholeNumber(text: string | undefined, what: string, max: number): number {
  if (text === undefined || !/^\d{1,10}$/.test(text) || Number(text) > max) {
    throw new WrongUsage(`${what} must be a whole number from 0 to ${max}.`);
  }
  return Number(text);
}

/** Formats rows as aligned columns; the first row is the heading. */
export function table(rows: readonly (readonly (string | number | null)[])[]): string {
  const texts = rows.map((row) => row.map((cell) => String(cell ?? '-')));
  const widths = (texts[0] ?? []).map((_, column) =>
    Math.max(...texts.map((row) => row[column]?.length ?? 0)),
  );
  return texts
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
