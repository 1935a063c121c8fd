// The day up to which every charged day has its settlement for good, so that nothing before it is kept for that.
import type { Connection } from '../database/database.ts';
import { readFactOn, writeFact } from '../database/service-facts.ts';

const FACT = 'tracking-settled-day';

/** null before the first was settled. */
export async function readSettledDay(db: Connection): Promise<number | null> {
  const day = await readFactOn(db, FACT);
  return day === undefined ? null : Number(day);
}

export const writeSettledDay = (db: Connection, day: number) => writeFact(db, FACT, String(day));
