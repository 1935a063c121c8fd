// Opens the fee schedule that the settings name: the operator's own file, or the one that comes with the
// program.
import { readFileSync, statSync } from 'node:fs';
import type { FeeSchedule } from './fee-schedule.ts';
import { BadFeeSchedule, defaultFeeSchedule, readFeeSchedule } from './read-fee-schedule.ts';

/** Far above any schedule, and little enough to be read at once. */
const FILE_BYTES_MAX = 10_000_000;

/** As in config.ts, which this room may not know. Refuses in one line that names the setting and the place. */
export function openFeeSchedule({
  FEE_SCHEDULE: path,
}: {
  FEE_SCHEDULE: string | null;
}): FeeSchedule {
  if (path === null) return defaultFeeSchedule();
  // As JSON, so that it stays one line whatever is in it.
  const named = `FEE_SCHEDULE is ${JSON.stringify(path)}, which cannot be`;
  let json: string;
  try {
    json = readWhole(path);
  } catch (cause) {
    // What follows the comma repeats the path.
    const [reason] = (cause as Error).message.split(',', 1);
    throw new BadFeeSchedule(`${named} read: ${reason}.`, { cause });
  }
  try {
    return readFeeSchedule(json);
  } catch (cause) {
    if (!(cause instanceof BadFeeSchedule)) throw cause;
    throw new BadFeeSchedule(`${named} used. ${cause.message}`, { cause });
  }
}

function readWhole(path: string): string {
  const found = statSync(path);
  if (!found.isFile()) throw new Error('it is not a file');
  if (found.size > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`);
  return readFileSync(path, 'utf8');
}
