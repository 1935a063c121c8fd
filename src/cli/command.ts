// What an operator's command is: its words, its options, and what it answers for people and programs.
import type { ParseArgsConfig } from 'node:util';
import type { App } from '../app.ts';
import type { Settings } from '../config.ts';
import type { Log } from '../foundation/log.ts';
import type { Store } from '../store.ts';

/** The command was called in a way it does not know: exit 2. */
export class WrongUsage extends Error {}

export type Result = {
  /** What --json prints. */
  json: unknown;
  /** What a person reads. */
  text: string;
  /** 1 when something was found or refused. */
  exitCode?: 0 | 1;
};

export type Options = Record<string, string | boolean | undefined>;

export type CommandInput = { words: string[]; options: Options };

export type Command = {
  /** As it is typed: "account create". */
  name: string;
  /** Names of the words that follow, all required. */
  words: readonly string[];
  usage: string;
  options?: ParseArgsConfig['options'];
} & (
  | { on: 'app'; run(app: App, input: CommandInput): Promise<Result> }
  /** On a database as it is found: not migrated first. */
  | { on: 'store'; run(place: Place, input: CommandInput): Promise<Result> }
  /** Without a database or settings; may run until it is stopped and say things meanwhile. */
  | { on: 'nothing'; run(say: Say, input: CommandInput): Promise<Result> }
);

/** Prints at once, as text or as --json. */
export type Say = (result: Pick<Result, 'json' | 'text'>) => void;

export type Place = { store: Store; settings: Settings; log: Log };

export function requiredOption(options: Options, name: string): string {
  const value = options[name];
  if (typeof value !== 'string' || value === '') throw new WrongUsage(`--${name} is required.`);
  return value;
}

/** A whole number given as text. */
export function wholeNumber(text: string | undefined, what: string, max: number): number {
  if (text === undefined || !/^\d{1,10}$/.test(text) || Number(text) > max) {
    throw new WrongUsage(`${what} must be a whole number from 0 to ${max}.`);
  }
  return Number(text);
}

/** Rows under a heading, in columns as wide as their widest text. */
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
