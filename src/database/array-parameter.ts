// Arrays as statement parameters, written as PostgreSQL's array text. Statements that carry hundreds of
// rows spend most of their time in Node on this: 4 µs an entry of the ledger by hand, 9 µs by `pg`,
// which looks for characters to escape in every element.

/** For numbers, ids and times: elements that never need quoting. */
export function plainArray(values: readonly (string | number)[]): string {
  return `{${values.join(',')}}`;
}

const NEEDS_NO_QUOTES = /^[\w.:/-]+$/;

/** For texts, whatever is in them; null stays null. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(textElement).join(',')}}`;
}

function textElement(value: string | null): string {
  if (value === null) return 'NULL';
  if (NEEDS_NO_QUOTES.test(value) && value.toUpperCase() !== 'NULL') return value;
  return `"${value.replace(/["\\]/g, '\\$&')}"`;
}
