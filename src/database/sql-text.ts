// Splits SQL into statements: some servers accept only one at a time, and some statements run
// alone.

const QUOTED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$|;/g;

/** The statements of a text without semicolons; a comment alone is not a statement. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const match of text.matchAll(QUOTED)) {
    if (match[0] !== ';') continue;
    statements.push(text.slice(start, match.index));
    start = match.index + 1;
  }
  statements.push(text.slice(start));
  return statements.map((one) => one.trim()).filter((one) => !isEmpty(one));
}

const isEmpty = (text: string) => text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() === '';

export type ConcurrentIndex = {
  isUnique: boolean;
  name: string;
  table: string;
  /** The text from the columns on. */
  rest: string;
};

/** The index that a `create index concurrently` builds; null for other statements. */
export function concurrentIndex(statement: string): ConcurrentIndex | null {
  const text = statement.replace(/^(?:--[^\n]*\n\s*)+/, '');
  const match =
    /^create\s+(unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?([\w.]+)\s+on\s+([\w.]+)\s*([\s\S]+)$/i.exec(
      text,
    );
  if (match === null) return null;
  const [, unique, name, table, rest] = match as unknown as string[];
  return { isUnique: unique !== undefined, name: name ?? '', table: table ?? '', rest: rest ?? '' };
}
