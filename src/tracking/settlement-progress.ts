// The day up to which every charged day is settled for good. Records kept for settlement are not
// needed for it or any day before it.
import type { Connection } from '../database/database.ts';
import { readFactOn, writeFact } from '../database/service-facts.ts';

const FACT = 'tracking-settled-day';

/** Returns null before the first settlement. */
export async function readSettledUpToDay(db: Connection): Promise<number | null> {
  const day = await readFactOn(db, FACT);
  return day === undefined ? null : Number(day);
}

export const writeSettledUpToDay = (db: Connection, day: number) =>
  writeFact(db, FACT, String(day));
