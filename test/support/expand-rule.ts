// The rule by which old and new processes run side by side: a migration only adds, unless it is
// marked as contracting. A statement that is not known to add is refused, so that the list below
// grows by decision.
import { splitStatements } from '../../src/database/sql-text.ts';

/** What earlier migrations under the rule, and this one, have added. */
export type Added = { tables: Set<string>; columns: Set<string> };

const ALWAYS = [
  // Old processes do not know them. PostgreSQL itself lets `or replace` only add columns at the
  // end of a view, and never change what a function returns.
  /^create (or replace )?(view|function|trigger)\b/,
  /^create (schema|type|sequence|statistics|table)\b/,
  // No statement of ours names an index.
  /^alter index \w+ rename to\b/,
  /^analyze\b/,
  /^create index (concurrently )?/,
  /^insert into\b/,
  /^comment on\b/,
  /^grant\b/,
];

/** What a block of code may not do, in statements of its own or in texts that it executes. */
const REMOVES = /\b(drop|truncate|delete|rename|alter|revoke)\b/;

/** Returns the statements of a migration that do more than add; notes what it adds. */
export function removals(text: string, added: Added): string[] {
  const statements = splitStatements(text).map(plain);
  return statements.filter((statement) => {
    const removes = !isAdditive(statement, { statements, added });
    noteAdded(statement, added);
    return removes;
  });
}

/** Without comments, in lower case, with single spaces. */
const plain = (statement: string) =>
  statement
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();

function noteAdded(statement: string, { tables, columns }: Added): void {
  const table = /^create table (?:if not exists )?([\w.]+)/.exec(statement)?.[1];
  if (table !== undefined) tables.add(table);
  const altered = alteredTable(statement);
  for (const action of altered?.actions ?? []) {
    const column = /^add column (?:if not exists )?(\w+)/.exec(action)?.[1];
    if (column !== undefined) columns.add(`${altered?.table}.${column}`);
  }
}

function isAdditive(
  statement: string,
  { statements, added }: { statements: readonly string[]; added: Added },
): boolean {
  if (ALWAYS.some((pattern) => pattern.test(statement))) return true;
  // Old processes may write rows that a new constraint refuses: only on tables they do not know.
  const unique = /^create unique index (?:concurrently )?(?:if not exists )?\w+ on ([\w.]+)/;
  const indexed = unique.exec(statement)?.[1];
  if (indexed !== undefined) return added.tables.has(indexed);
  const block = /^do (\$\w*\$)(.*)\1$/.exec(statement)?.[2];
  if (block !== undefined && REMOVES.test(block)) return false;
  const updates = (block ?? statement).match(/\bupdate [\w.]+ .*?set [^;]+/g) ?? [];
  const columns = updates.flatMap(updatedColumns);
  if (block !== undefined || updates.length > 0) {
    return columns.every((column) => added.columns.has(column));
  }
  const altered = alteredTable(statement);
  if (altered === null) return false;
  if (added.tables.has(altered.table)) return true;
  if (/^rename to\b/.test(altered.actions[0] ?? '')) return isReplaced(altered.table, statements);
  return altered.actions.every((action) => isAdditiveAction(action, statements));
}

/** A table may move away if another one, or a view, takes its name: old statements find that. */
const isReplaced = (table: string, statements: readonly string[]) =>
  statements.some((one) => new RegExp(`^create (table|view) ${table}\\b`).test(one));

function isAdditiveAction(action: string, statements: readonly string[]): boolean {
  if (/^add column\b/.test(action)) {
    return !/\bnot null\b/.test(action) || /\bdefault\b/.test(action);
  }
  if (/^(set|reset) \(/.test(action) || /^attach partition\b/.test(action)) return true;
  // A constraint is replaced by a wider one of the same name, never only dropped or only added.
  const [, verb, constraint] = /^(add|drop) constraint (\w+)/.exec(action) ?? [];
  if (constraint === undefined) return false;
  const counterpart = `${verb === 'add' ? 'drop' : 'add'} constraint ${constraint}`;
  return statements.some((statement) => new RegExp(`\\b${counterpart}\\b`).test(statement));
}

function alteredTable(statement: string): { table: string; actions: string[] } | null {
  const [, table, rest] =
    /^alter table (?:if exists )?(?:only )?([\w.]+) (.+)$/.exec(statement) ?? [];
  if (table === undefined || rest === undefined) return null;
  return { table, actions: atTopLevel(rest) };
}

/** The columns that an update sets, each with its table. */
function updatedColumns(update: string): string[] {
  const [, table = '', rest = ''] =
    /^update ([\w.]+)(?: (?:as )?\w+)? set (.+)$/.exec(update) ?? [];
  const sets = atTopLevel(rest.replace(/ (from|where) .*$/, ''));
  return sets.map((set) => `${table}.${set.replace(/ ?=.*$/, '')}`);
}

/** Splits at commas that are not in parentheses. */
function atTopLevel(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += letter;
  }
  return parts.map((part) => part.trim());
}
