// The horizontal axis: round times in UTC whose labels do not touch each other.
import { DAY_SECONDS, HOUR_SECONDS, SECOND_MS } from '../foundation/time.ts';

export type TimeTick = { atSeconds: number; label: string };

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun'].concat([
  'Jul',
  'Aug',
  'Sep',
  'Oct',
  'Nov',
  'Dec',
]);

const HOUR_STEPS = [1, 2, 3, 6, 12];
const DAY_STEPS = [1, 2, 4, 7, 14];
const MONTH_STEPS = [1, 2, 3, 6, 12, 24, 60, 120];

/** The widest labels are about this wide. */
const LABEL_PX = 58;

export function timeTicks(
  { fromAtSeconds, toAtSeconds }: { fromAtSeconds: number; toAtSeconds: number },
  widthPx: number,
): TimeTick[] {
  const span = toAtSeconds - fromAtSeconds;
  const leastSeconds = (span / widthPx) * LABEL_PX;
  const hours = HOUR_STEPS.find((step) => step * HOUR_SECONDS >= leastSeconds);
  if (hours !== undefined) return everySeconds(hours * HOUR_SECONDS, fromAtSeconds, toAtSeconds);
  const days = DAY_STEPS.find((step) => step * DAY_SECONDS >= leastSeconds);
  if (days !== undefined) return everySeconds(days * DAY_SECONDS, fromAtSeconds, toAtSeconds);
  const months = MONTH_STEPS.find((step) => step * 28 * DAY_SECONDS >= leastSeconds) ?? 600;
  return everyMonths(months, fromAtSeconds, toAtSeconds);
}

/** Monday, 1 January 1900 starts the weeks; hours and days are multiples since 1970. */
function everySeconds(step: number, fromAtSeconds: number, toAtSeconds: number): TimeTick[] {
  const ticks: TimeTick[] = [];
  const offset = step % (7 * DAY_SECONDS) === 0 ? 4 * DAY_SECONDS : 0;
  let at = Math.ceil((fromAtSeconds - offset) / step) * step + offset;
  for (; at <= toAtSeconds; at += step) {
    const isMidnight = at % DAY_SECONDS === 0;
    ticks.push({ atSeconds: at, label: isMidnight ? dayText(at) : hourText(at) });
  }
  return ticks;
}

function everyMonths(step: number, fromAtSeconds: number, toAtSeconds: number): TimeTick[] {
  const ticks: TimeTick[] = [];
  const first = new Date(fromAtSeconds * SECOND_MS);
  let month = Math.ceil((first.getUTCFullYear() * 12 + first.getUTCMonth()) / step) * step;
  for (; ; month += step) {
    const [year, monthOfYear] = [Math.floor(month / 12), month % 12];
    const atSeconds = Date.UTC(year, monthOfYear) / SECOND_MS;
    if (atSeconds > toAtSeconds) return ticks;
    if (atSeconds < fromAtSeconds) continue;
    const name = MONTHS[monthOfYear] as string;
    ticks.push({ atSeconds, label: monthOfYear === 0 ? String(year) : name });
  }
}

const hourText = (atSeconds: number) => new Date(atSeconds * SECOND_MS).toISOString().slice(11, 16);

/** "14 Nov" */
export function dayText(atSeconds: number): string {
  const date = new Date(atSeconds * SECOND_MS);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** "14 Nov 2026" */
export const dateText = (atSeconds: number): string =>
  `${dayText(atSeconds)} ${new Date(atSeconds * SECOND_MS).getUTCFullYear()}`;

/** "14 Nov 2026, 12:00 UTC" */
export const momentText = (atSeconds: number): string =>
  `${dateText(atSeconds)}, ${hourText(atSeconds)} UTC`;
