// Checks whether the entries of this period add up to the used credits of the balance.
import { call, callWithHeaders, type ResponseOf } from '../app/api-client.ts';
import { DAY_MS, serverNowMs } from '../app/server-clock.ts';
import type { LedgerEntry } from './ledger-words.ts';

export type PeriodSum =
  | { state: 'agrees'; used: number }
  | { state: 'differs'; used: number; balance: number }
  /** Something was booked while it was added up, each time that it was tried. */
  | { state: 'moving' }
  /** More entries on the period's first day than are worth reading here. */
  | { state: 'too many' };

const ROUNDS_MAX = 3;
const PAGE = 1000;
const PAGES_MAX = 10;

const SPENDING: ReadonlySet<string> = new Set(['request', 'tracking', 'refund']);

type DayUse = ResponseOf<'GET /session/usage'>['entries'][number];

/** The first day of the period is read entry by entry from its start; later days are whole. */
export function usedInPeriod(
  startAt: string,
  days: readonly DayUse[],
  firstDay: readonly Pick<LedgerEntry, 'kind' | 'credits'>[],
): number {
  const startOn = startAt.slice(0, 10);
  const later = days
    .filter(({ date }) => date > startOn)
    .reduce((sum, day) => sum + day.credits, 0);
  const first = firstDay
    .filter(({ kind }) => SPENDING.has(kind))
    .reduce((sum, entry) => sum - entry.credits, 0);
  return later + first;
}

/** How many days of usage to request, with one spare at midnight. */
export function daysSince(startAt: string, nowMs: number): number {
  const days = Math.floor(nowMs / DAY_MS) - Math.floor(Date.parse(startAt) / DAY_MS);
  return Math.min(366, Math.max(1, days + 2));
}

/** The balance is read before and after: the sums are comparable only if it did not change. */
export async function addUpPeriod(signal: AbortSignal): Promise<PeriodSum> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const before = await call('GET /user/credits', { signal });
    const startAt = before.billing_period.current_period_start;
    const [usage, firstDay] = await Promise.all([
      call('GET /session/usage', { query: { days: daysSince(startAt, serverNowMs()) }, signal }),
      entriesOfFirstDay(startAt, signal),
    ]);
    if (firstDay === null) return { state: 'too many' };
    const after = await call('GET /user/credits', { signal });
    const stood = after.account_info.last_updated === before.account_info.last_updated;
    const balance = after.credits.used_this_month;
    if (!stood || balance !== before.credits.used_this_month) continue;
    const used = usedInPeriod(startAt, usage.entries, firstDay);
    return used === balance ? { state: 'agrees', used } : { state: 'differs', used, balance };
  }
  return { state: 'moving' };
}

async function entriesOfFirstDay(
  startAt: string,
  signal: AbortSignal,
): Promise<LedgerEntry[] | null> {
  const endAt = (Math.floor(Date.parse(startAt) / DAY_MS) + 1) * DAY_MS;
  const range = { from: startAt, to: new Date(endAt).toISOString(), limit: PAGE };
  const entries: LedgerEntry[] = [];
  let after: string | null = null;
  for (let read = 0; read < PAGES_MAX; read++) {
    const query = after === null ? range : { ...range, after };
    const response: { data: LedgerEntry[]; next: string | null } = await callWithHeaders(
      'GET /session/ledger',
      { query, signal },
    );
    entries.push(...response.data);
    after = response.next;
    if (after === null) return entries;
  }
  return null;
}
