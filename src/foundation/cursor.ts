// Opaque cursors: where a list continues.

/** Where a list continues: every list is ordered by an instant, then by an id. */
export type Position = { atMs: number; id: string };

/** Encodes a position as an opaque cursor. */
export function cursorOf({ atMs, id }: Position): string {
  return Buffer.from(JSON.stringify([atMs, id])).toString('base64url');
}
