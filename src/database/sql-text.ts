// Cuts a file of SQL into its statements: some servers take only one at a time, and some statements only alone.

const QUOTED =
  /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\$([A-Za-z_]*)\$[\s\S]*?\$\1\$|;/g;

/** The statements of a text, without their semicolons; comments alone are none. */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  for (const found of text.matchAll(QUOTED)) {
    if (found[0] !== ';') continue;
    statements.push(text.slice(start, found.index));
    start = found.index + 1;
  }
  statements.push(text.slice(start));
  return statements.map((one) => one.trim()).filter((one) => !isEmpty(one));
}

const isEmpty = (text: string) => text.replace(/--[^\n]*|\/\*[\s\S]*?\*\//g, '').trim() === '';

export type ConcurrentIndex = {
  isUnique: boolean;
  name: string;
  table: string;
  /** From the columns on. */
  rest: string;
};

/** What a statement that builds an index beside the traffic builds; null for any other. */
export function concurrentIndex(statement: string): ConcurrentIndex | null {
  const text = statement.replace(/^(?:--[^\n]*\n\s*)+/, '');
  const found =
    /^create\s+(unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?([\w.]+)\s+on\s+([\w.]+)\s*([\s\S]+)$/i.exec(
      text,
    );
  if (found === null) return null;
  const [, unique, name, table, rest] = found as unknown as string[];
  return { isUnique: unique !== undefined, name: name ?? '', table: table ?? '', rest: rest ?? '' };
}
