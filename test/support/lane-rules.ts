// Holds every statement of a test run against the rules by which the program runs on Citus: each
// lane table is restricted to lanes by parameter, the lanes of a statement lie in one group, and so
// do the lanes of a transaction. See docs/decisions/0019-lane-groups.md.

import { TABLES } from '../../src/database/families.ts';
import type { LaneGroups } from '../../src/database/lane-groups.ts';
import type { SentStatement } from '../../src/database/pool.ts';
import { FAN_OUTS } from './fan-outs.ts';

const LANE_TABLES = Object.entries(TABLES).flatMap(([name, kind]) =>
  kind.kind === 'lane' ? [name] : [],
);

/** Names of tables with their alias, wherever rows are read, changed or joined. */
const TABLE_USE = new RegExp(
  `\\b(from|join|update|using|into|,)\\s+(?:only\\s+)?(${LANE_TABLES.join('|')})\\b(?!\\s*\\()(?:\\s+(?:as\\s+)?(?!${[
    'set',
    'where',
    'on',
    'using',
    'order',
    'group',
    'limit',
    'for',
    'join',
    'left',
    'cross',
    'values',
    'select',
    'returning',
    'union',
    'inner',
    'natural',
    'default',
  ].join('\\b|')}\\b)([a-z_]\\w*))?`,
  'g',
);

export type TableUse = { verb: string; table: string; alias: string };

export function tableUses(text: string): TableUse[] {
  return (
    [...withoutComments(text).matchAll(TABLE_USE)]
      .map(([, verb, table, alias]) => ({
        verb: verb as string,
        table: table as string,
        alias: alias ?? (table as string),
      }))
      // A name after a comma without an alias is a column, such as market_models.products.
      .filter(({ verb, table, alias }) => verb !== ',' || alias !== table)
  );
}

const withoutComments = (text: string) => text.replace(/--[^\n]*/g, ' ');

const conditionOn = (alias: string) =>
  new RegExp(`\\b${alias}\\.lane = (\\$\\d+|any\\(\\$\\d+::smallint\\[\\]\\))`);
const BARE_CONDITION = /(?<![.\w])lane = (\$\d+|any\(\$\d+::smallint\[\]\))/;

/** Casts from text that are not immutable. Citus refuses them on columns in an update. */
const UNSTABLE_CAST = /\b[a-z_]+\.[a-z_]+::(?:\w+\[\]|timestamptz|date|regclass)/;

/** Returns what is wrong with the text of a statement; null if nothing is. */
export function laneFault(text: string): string | null {
  const cast = /\b(?:update|delete from)\b/.test(text) ? UNSTABLE_CAST.exec(text) : null;
  if (cast !== null) return `an update may not cast a column: ${cast[0]}`;
  const uses = tableUses(text);
  const reads = uses.filter(({ verb }) => verb !== 'into');
  const isBareEnough = reads.length === 1 && BARE_CONDITION.test(text);
  for (const { table, alias } of reads) {
    if (!isBareEnough && !conditionOn(alias).test(text)) {
      return `${table} ${alias} has neither "${alias}.lane = $n" nor "${alias}.lane = any($n)"`;
    }
  }
  return null;
}

export const isFanOut = (text: string): boolean => FAN_OUTS.some(({ like }) => like.test(text));

/** The lanes that a statement names by its parameters. */
export function lanesOf(text: string, values: readonly unknown[]): number[] {
  const lanes = new Set<number>();
  for (const [, one, many] of text.matchAll(/\blane = (?:\$(\d+)|any\(\$(\d+)::smallint\[\]\))/g)) {
    if (one !== undefined) lanes.add(Number(values[Number(one) - 1]));
    else for (const lane of asArray(values[Number(many) - 1])) lanes.add(lane);
  }
  // An insert names its lane as the first column.
  const insert = /insert into (\w+)(?: as \w+)? \(lane,/.exec(text);
  if (insert !== null && LANE_TABLES.includes(insert[1] as string)) {
    if (/values \(\$1,/.test(text)) lanes.add(Number(values[0]));
    else if (/unnest\(\$1::smallint\[\]/.test(text)) {
      for (const lane of asArray(values[0])) lanes.add(lane);
    }
  }
  return [...lanes];
}

function asArray(value: unknown): number[] {
  if (Array.isArray(value)) return value.map(Number);
  const inner = String(value).slice(1, -1);
  return inner === '' ? [] : inner.split(',').map(Number);
}

/** Texts that the program has sent: whoever sends them again, they are held against the rules. */
const ofSource = new Set<string>();

const facts = new Map<string, { isExempt: boolean; fault: string | null }>();

/** Texts repeat: each is examined once. */
function factsOf(text: string) {
  const existing = facts.get(text);
  if (existing !== undefined) return existing;
  const isExempt = tableUses(text).length === 0 || isFanOut(text);
  const examined = { isExempt, fault: isExempt ? null : laneFault(text) };
  facts.set(text, examined);
  return examined;
}

const PASSED_ON = /\/src\/database\/(pool|database|lock-timeout|savepoint)\.ts/;
const FRAMES_MAX = 20;
const WATCHING = /lane-rules|released-statements|support\/database/;

/** The files on the stack, also those that await this one; without the text, which costs more. */
function filesOnStack(): string[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '');
  try {
    return new Error().stack as unknown as string[];
  } finally {
    Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  }
}

/**
 * Whether the code that calls `query` is the program's, by the stack. An operator's command may ask
 * all shards: nobody waits for it but the operator.
 */
export function isSentBySource(): boolean {
  const caller = filesOnStack().find(
    (file) => file !== '' && !WATCHING.test(file) && !PASSED_ON.test(file),
  );
  return caller !== undefined && /\/src\/(?!cli\/)/.test(caller) && !/\.test\.ts/.test(caller);
}

/** Throws at the statement that breaks a rule, so that its test fails with the statement's text. */
export function createLaneRules(groups: LaneGroups) {
  const groupOfTransaction = new WeakMap<object, number>();
  return (sent: SentStatement): void => {
    const text = typeof sent.what === 'string' ? sent.what : sent.what.text;
    if (factsOf(text).isExempt) return;
    // A test may read and change whatever it likes.
    if (!ofSource.has(text) && !isSentBySource()) return;
    ofSource.add(text);
    const { fault } = factsOf(text);
    if (fault !== null) throw new Error(`lane rule: ${fault}, in: ${text}`);
    const lanes = lanesOf(text, sent.values);
    const touched = [...new Set(lanes.map((lane) => groups.groupOf(lane)))];
    if (touched.length > 1) throw new Error(`lane rule: ${touched.length} groups in: ${text}`);
    const [group] = touched;
    if (group === undefined || sent.transaction === null) return;
    const first = groupOfTransaction.get(sent.transaction) ?? group;
    groupOfTransaction.set(sent.transaction, first);
    if (first !== group) {
      throw new Error(`lane rule: a transaction touches two groups with: ${text}`);
    }
  };
}
