// Checks that text can be stored: PostgreSQL rejects NUL, and UTF-8 has no lone surrogates.

export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

/** Path of the first value or member name that cannot be stored; null if all can. */
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
