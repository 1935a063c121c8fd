// After a day: each charged day is settled once, kept or refunded by the slots that were due and served, in parts that
// may be broken off anywhere; then it goes on as a part of a paid stretch, and what was kept for settling is dropped.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { isoTime } from '../foundation/clock.ts';
import { DAY_MS } from '../foundation/time.ts';
import { dropOldTallies } from './crawl-tallies.ts';
import { insertOutgoing, type Outgoing } from './outgoing.ts';
import { tierPaidBy } from './paid-day.ts';
import { addSpans, dropSpansBefore, type ProductSpan } from './paid-spans.ts';
import { endDays, type Verdict } from './refund-days.ts';
import { dropServedDays, readServedDays } from './served-days.ts';
import { GRACE_MS, isKept, slotsOf } from './serving.ts';
import { readSettledDay, writeSettledDay } from './settled-day.ts';
import { dayOf } from './slot.ts';
import {
  type DayKey,
  firstOpenDay,
  listOpenDays,
  listOpenLanes,
  type OpenDay,
  setDayAside,
  settleForGood,
  takeFinalDays,
} from './tracked-days.ts';
import { dropWatchSpans, readWatchSpans } from './watch-spans.ts';
import { readWatchers } from './watchers.ts';

const SETTLE_DAYS = 'settle-days';
/** A charge of the day before may be under way at midnight; after this it is not. */
const LATE_CHARGE_MS = 300_000;
const AT_ONCE = 500;
/** How long a balance is waited for that another session keeps locked. */
const LOCK_WAIT_MS = 250;
/** How long paid days can be shown, and a little more. */
export const DAYS_SHOWN = 366;

type Deps = BookingDeps;

/** Settles the days that are over and not settled yet; what is broken off goes on in the next round. */
export async function settleDays(deps: Deps): Promise<void> {
  const now = deps.clock.nowMs();
  const upTo = dayOf(now - GRACE_MS) - 1;
  for (const lane of await listOpenLanes(deps.db, { upTo })) await settleLane(deps, { lane, upTo });
  await doAll(
    () => advanceSettledDay(deps.db, now),
    () => compactDays(deps.db, now),
    () => dropInParts((limit) => dropSpansBefore(deps.db, { day: dayOf(now) - DAYS_SHOWN, limit })),
    () => dropOldTallies(deps.db),
  );
}

async function settleLane(deps: Deps, input: { lane: number; upTo: number }): Promise<void> {
  const { db, clock, log } = deps;
  const patient = { ...deps, db: withLockTimeout(db, LOCK_WAIT_MS) };
  let after: DayKey | undefined;
  for (;;) {
    const days = await listOpenDays(db, { ...input, after, limit: AT_ONCE });
    if (days.length === 0) return;
    after = days.at(-1);
    await isolate(await judge(db, days), {
      ...{ loop: SETTLE_DAYS, log, keyOf: itemOf },
      run: (batch) => endDays(patient, batch),
      setAside: (verdict, reason) =>
        db.transaction(async (tx) => {
          const { accountId } = verdict;
          await putInQuarantine(tx, {
            ...{ owner: accountId, loop: SETTLE_DAYS, item: itemOf(verdict), reason },
            ...{ payload: verdict, atMs: clock.nowMs() },
          });
          await setDayAside(tx, verdict, 'aside');
        }),
    });
  }
}

/** By what the product's side knows of the days. */
async function judge(db: Database, days: readonly OpenDay[]): Promise<Verdict[]> {
  const keyOf = ({ code, accountId }: Pick<DayKey, 'code' | 'accountId'>) => `${code}/${accountId}`;
  const keys = [...new Map(days.map((day) => [keyOf(day), day])).values()];
  // Its row first: what it forgets is written before it changes, and is met twice rather than never.
  const watchers = new Map((await readWatchers(db, keys)).map((one) => [keyOf(one), one]));
  const spans = Map.groupBy(await readWatchSpans(db, keys), keyOf);
  const served = Map.groupBy(await readServedDays(db, keys), keyOf);
  return days.map((key) => {
    const record = {
      ...{ code: key.code, watcher: watchers.get(keyOf(key)) },
      ...{ spans: spans.get(keyOf(key)) ?? [], served: served.get(keyOf(key)) ?? [] },
    };
    return { ...key, isKept: key.isKept ?? isKept(slotsOf(record, key.day)) };
  });
}

/** Notes up to which day all is settled; what was kept for it is not needed any more. */
async function advanceSettledDay(db: Database, now: number): Promise<void> {
  // The day before may still be charged, by slots that are fanned out late.
  const chargeable = dayOf(now - LATE_CHARGE_MS) - 1;
  const firstOpen = (await firstOpenDay(db)) ?? chargeable;
  const settled = Math.min(firstOpen, chargeable) - 1;
  if (settled <= ((await readSettledDay(db)) ?? Number.NEGATIVE_INFINITY)) return;
  await writeSettledDay(db, settled);
  await dropInParts((limit) => dropServedDays(db, { upTo: settled, limit }));
  await dropInParts((limit) => dropWatchSpans(db, { beforeAt: (settled + 1) * DAY_MS, limit }));
}

/** Days that can be neither charged nor settled any more become stretches. */
async function compactDays(db: Database, now: number): Promise<void> {
  const upTo = dayOf(now - LATE_CHARGE_MS) - 2;
  await dropInParts((limit) =>
    db.transaction(async (tx) => {
      const days = await takeFinalDays(tx, { upTo, limit });
      await addSpans(tx, stretchesOf(days));
      return days.length;
    }),
  );
}

/** Days in a row at one tier are one stretch. */
export function stretchesOf(days: readonly (DayKey & { creditsCharged: number })[]): ProductSpan[] {
  const stretches: ProductSpan[] = [];
  const byProduct = Map.groupBy(days, ({ accountId, code }) => `${accountId}/${code}`);
  for (const own of byProduct.values()) {
    let last: ProductSpan | undefined;
    for (const { accountId, code, day, creditsCharged } of own.toSorted((a, b) => a.day - b.day)) {
      const tier = tierPaidBy(creditsCharged);
      if (last !== undefined && last.tier === tier && last.toDay === day - 1) last.toDay = day;
      else {
        last = { accountId, code, fromDay: day, toDay: day, tier };
        stretches.push(last);
      }
    }
  }
  return stretches;
}

/** Many small transactions: one for all of ten million rows ran into its timeout, every day again. */
async function dropInParts(drop: (limit: number) => Promise<number>): Promise<void> {
  while ((await drop(AT_ONCE)) > 0);
}

const itemOf = ({ code, accountId, day }: DayKey) => `${code}/${accountId}/${dayText(day)}`;
const dayText = (day: number) => isoTime(day * DAY_MS).slice(0, 10);

export const settleDaysHandler: QuarantineHandler = {
  loop: SETTLE_DAYS,
  retry: (deps, item) =>
    release(deps, item, async (tx) => {
      const payload = item.payload as Verdict | Outgoing;
      // What was set aside before days had a settlement of their own is a refund for the outbox.
      if ('kind' in payload) await insertOutgoing(tx, [payload]);
      else await setDayAside(tx, payload, payload.isKept ? 'toKeep' : 'toRefund');
    }),
  drop: {
    means: 'The day is not refunded.',
    losesMoney: ({ payload }) => {
      const day = payload as Verdict | Outgoing;
      if ('isKept' in day && day.isKept) return null;
      return `The refund of ${dayText(day.day)} for product ${day.code}, account ${day.accountId}, would never be booked.`;
    },
    run: async (tx, { payload }) => {
      const day = payload as Verdict | Outgoing;
      if ('isKept' in day) await settleForGood(tx, [{ ...day, isRefunded: false }]);
    },
  },
};
