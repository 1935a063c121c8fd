// Which texts can be stored as they are: PostgreSQL's texts cannot hold NUL, UTF-8 no half of a surrogate pair.

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Where a text lies that cannot be stored: the path of the first such value or member name; null when all can. */
export function unstorablePath(value: unknown): string | null {
  if (typeof value === 'string') return isStorable(value) ? null : '';
  if (typeof value !== 'object' || value === null) return null;
  for (const [name, member] of Object.entries(value)) {
    if (!isStorable(name)) return '';
    const inner = unstorablePath(member);
    if (inner !== null) return inner === '' ? name : `${name}.${inner}`;
  }
  return null;
}
