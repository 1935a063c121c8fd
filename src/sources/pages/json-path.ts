// Paths in JSON: names and positions joined by dots, "[*]" for every entry of a list, as in
// "category.path[*].name".

const STEP = /^([^.[\]]+)((?:\[(?:\*|\d{1,4})\])*)$/;
/** More values than any list on a page has. */
const VALUES_MAX = 1_000;

export const isJsonPath = (path: string): boolean =>
  path.split('.').every((step) => STEP.test(step));

/** All values at the path; null and absent members are skipped. */
export function valuesAt(root: unknown, path: string): unknown[] {
  let values = [root];
  for (const step of path.split('.')) {
    const [, name = '', positions = ''] = STEP.exec(step) ?? [];
    values = values.flatMap((value) => memberOf(value, name));
    for (const [, position] of positions.matchAll(/\[(\*|\d+)\]/g)) {
      values = values.flatMap((value) => entriesOf(value, position as string));
    }
    values = values.slice(0, VALUES_MAX);
  }
  return values;
}

function memberOf(value: unknown, name: string): unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  if (!Object.hasOwn(value, name)) return [];
  const member = (value as Record<string, unknown>)[name];
  return member === null || member === undefined ? [] : [member];
}

function entriesOf(value: unknown, position: string): unknown[] {
  if (!Array.isArray(value)) return [];
  const entries = position === '*' ? value : value.slice(Number(position), Number(position) + 1);
  return entries.filter((entry) => entry !== null && entry !== undefined);
}
