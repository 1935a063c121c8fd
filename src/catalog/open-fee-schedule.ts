// Opens the fee schedule of the setting FEE_SCHEDULE: the operator's file, or the default schedule.
import { readFileSync, statSync } from 'node:fs';
import type { FeeSchedule } from './fee-schedule.ts';
import { BadFeeSchedule } from './fee-schedule-file.ts';
import { defaultFeeSchedule, readFeeSchedule } from './read-fee-schedule.ts';

/** Far larger than any schedule, small enough to read into memory. */
const FILE_BYTES_MAX = 10_000_000;

/**
 * Throws a BadFeeSchedule whose one-line message names the setting and the path in the file. The
 * parameter has the name of the setting in config.ts, which this folder may not import.
 */
export function openFeeSchedule({
  FEE_SCHEDULE: path,
}: {
  FEE_SCHEDULE: string | null;
}): FeeSchedule {
  if (path === null) return defaultFeeSchedule();
  // As JSON, so that a path with line breaks stays on one line.
  const prefix = `FEE_SCHEDULE is ${JSON.stringify(path)}, which cannot be`;
  let json: string;
  try {
    json = readWhole(path);
  } catch (cause) {
    // After the comma, Node's message repeats the path.
    const [reason] = (cause as Error).message.split(',', 1);
    throw new BadFeeSchedule(`${prefix} read: ${reason}.`, { cause });
  }
  try {
    return readFeeSchedule(json);
  } catch (cause) {
    if (!(cause instanceof BadFeeSchedule)) throw cause;
    throw new BadFeeSchedule(`${prefix} used. ${cause.message}`, { cause });
  }
}

function readWhole(path: string): string {
  const stats = statSync(path);
  if (!stats.isFile()) throw new Error('it is not a file');
  if (stats.size > FILE_BYTES_MAX) throw new Error(`it has more than ${FILE_BYTES_MAX} bytes`);
  return readFileSync(path, 'utf8');
}
