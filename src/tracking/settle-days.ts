// Settles charged days after they end: each is kept or refunded once, by the slots that were due
// and served. Then it becomes part of a paid span, and the records kept for settlement are deleted.
// The work runs in small batches and can be interrupted anywhere.
import { doAll } from '../background/do-all.ts';
import { isolate } from '../background/isolate.ts';
import { type QuarantineHandler, release } from '../background/quarantine-handler.ts';
import { putInQuarantine } from '../background/quarantined-items.ts';
import type { BookingDeps } from '../credits/book-entries.ts';
import type { Database, Transaction } from '../database/database.ts';
import { type GroupTurn, rotationOf } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { dropDayPartition, ensureDayPartition, listDayPartitions } from '../database/partitions.ts';
import { isoTime } from '../foundation/clock.ts';
import { errorCode } from '../foundation/kept-text.ts';
import { DAY_MS, MINUTE_MS } from '../foundation/time.ts';
import { dropOldTallies } from './crawl-tallies.ts';
import { insertOutboxRows } from './outbox.ts';
import { outboxRowOf, type StoredOutboxRow } from './outbox-row.ts';
import { tierPaidBy } from './paid-day.ts';
import { addSpans, dropSpansBefore, type ProductSpan } from './paid-spans.ts';
import { type DayVerdict, settleOrRefund } from './refund-days.ts';
import { dropServedDays, readServedDays } from './served-days.ts';
import { GRACE_MS, isKept, slotsOf } from './served-slot.ts';
import { readSettledUpToDay, writeSettledUpToDay } from './settlement-progress.ts';
import { dayOf } from './slot.ts';
import {
  type DayKey,
  firstOpenDay,
  hasFinalRest,
  hasUnsettled,
  listFinalDays,
  listLanesOfDay,
  listOpenDays,
  listOpenLanes,
  markSettled,
  type OpenDay,
  refuseUnsettled,
  setSettlement,
  TRACKED_DAYS_TABLE,
  takeFinalDays,
} from './tracked-days.ts';
import { dropWatchSpans, readWatchSpans } from './watch-spans.ts';
import { readWatchers } from './watchers.ts';

const SETTLE_DAYS = 'settle-days';
/** A charge of the day before may still be in progress at midnight, but not after this. */
const LATE_CHARGE_MS = 5 * MINUTE_MS;
const ROWS_PER_BATCH = 500;
/** How long to wait for a balance that another session has locked. */
const LOCK_WAIT_MS = 250;
/** How many days paid spans are kept: slightly more than can be shown. */
export const DAYS_SHOWN = 366;

type Deps = BookingDeps;

/** Settles the days that have ended; the next round continues what was interrupted. */
export async function settleDays(deps: Deps): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const upToDay = dayOf(nowMs - GRACE_MS) - 1;
  const firstShownDay = dayOf(nowMs) - DAYS_SHOWN;
  const lanes = await listOpenLanes(deps.db, { upToDay });
  await doAll(
    // A lane whose products lie on a shard that is away must not keep the others open.
    ...lanes.map((lane) => () => settleLane(deps, { lane, upToDay })),
    () => advanceSettledDay(deps.db, nowMs),
    () => compactDays(deps.db, nowMs),
    ...DAYS_AHEAD.map((ahead) => () => createDay(deps.db, dayOf(nowMs) + ahead)),
    () => repeatInBatches((limit) => dropSpansBefore(deps.db, { day: firstShownDay, limit })),
    () => dropOldTallies(deps.db),
  );
}

async function settleLane(deps: Deps, input: { lane: number; upToDay: number }): Promise<void> {
  const { db, clock, log } = deps;
  const patient = { ...deps, db: withLockTimeout(db, LOCK_WAIT_MS) };
  let after: DayKey | undefined;
  for (;;) {
    const days = await listOpenDays(db, { ...input, after, limit: ROWS_PER_BATCH });
    if (days.length === 0) return;
    after = days.at(-1);
    await isolate(await judgeDays(db, days), {
      loop: SETTLE_DAYS,
      log,
      keyOf: itemOf,
      run: (batch) => settleOrRefund(patient, batch),
      setAside: (verdict, reason) =>
        db.transaction(async (tx) => {
          await putInQuarantine(tx, {
            owner: verdict.accountId,
            loop: SETTLE_DAYS,
            item: itemOf(verdict),
            reason,
            payload: verdict,
            atMs: clock.nowMs(),
          });
          await setSettlement(tx, verdict, 'aside');
        }),
    });
  }
}

/** Judges days by the records of the product's side. */
async function judgeDays(db: Database, days: readonly OpenDay[]): Promise<DayVerdict[]> {
  const keyOf = ({ code, accountId }: Pick<DayKey, 'code' | 'accountId'>) => `${code}/${accountId}`;
  const keys = [...new Map(days.map((day) => [keyOf(day), day])).values()];
  // Reads watchers first: what a row drops is saved before it changes, so it is read twice rather
  // than never.
  const watchers = new Map((await readWatchers(db, keys)).map((one) => [keyOf(one), one]));
  const spans = Map.groupBy(await readWatchSpans(db, keys), keyOf);
  const served = Map.groupBy(await readServedDays(db, keys), keyOf);
  return days.map((day) => {
    const key = keyOf(day);
    const record = {
      code: day.code,
      watcher: watchers.get(key),
      spans: spans.get(key) ?? [],
      served: served.get(key) ?? [],
    };
    return { ...day, isKept: day.isKept ?? isKept(slotsOf(record, day.day)) };
  });
}

/** Stores the day up to which everything is settled, and deletes the records kept for it. */
async function advanceSettledDay(db: Database, nowMs: number): Promise<void> {
  // Slots that are fanned out late may still charge the day before.
  const chargeableDay = dayOf(nowMs - LATE_CHARGE_MS) - 1;
  const openDay = (await firstOpenDay(db)) ?? chargeableDay;
  const settledDay = Math.min(openDay, chargeableDay) - 1;
  if (settledDay <= ((await readSettledUpToDay(db)) ?? Number.NEGATIVE_INFINITY)) return;
  await writeSettledUpToDay(db, settledDay);
  await repeatInBatches((limit) => dropServedDays(db, { upToDay: settledDay, limit }));
  const beforeAtMs = (settledDay + 1) * DAY_MS;
  await repeatInBatches((limit) => dropWatchSpans(db, { beforeAtMs, limit }));
}

/** Before they begin: a day without a partition is charged in the default one. */
const DAYS_AHEAD = [1, 2];

/** A clock that was set back may have left rows in the default partition. */
async function createDay(db: Database, day: number): Promise<void> {
  try {
    await ensureDayPartition(db, TRACKED_DAYS_TABLE, day);
  } catch (error) {
    if (errorCode(error) !== CHECK_VIOLATION) throw error;
  }
}

const CHECK_VIOLATION = '23514';

/** Turns days that can be neither charged nor settled any more into paid spans. */
async function compactDays(db: Database, nowMs: number): Promise<void> {
  const upToDay = dayOf(nowMs - LATE_CHARGE_MS) - 2;
  const days = await listDayPartitions(db, TRACKED_DAYS_TABLE);
  // In order of time, so that days which follow each other become one span.
  await doAll(
    () => compactRest(db, upToDay),
    ...days.filter((day) => day <= upToDay).map((day) => () => compactPartition(db, day)),
  );
}

/** A day with a row in quarantine stays: what it holds is read from its rows meanwhile. */
async function compactPartition(db: Database, day: number): Promise<void> {
  if (await hasUnsettled(db, day)) return;
  for (const lane of await listLanesOfDay(db, day)) {
    let after: DayKey | undefined;
    for (;;) {
      const input = { lane, day, after, limit: ROWS_PER_BATCH };
      const days = await listFinalDays(db, input);
      if (days.length === 0) break;
      await db.transaction((tx) => addSpans(tx, spansOf(days)));
      after = days.at(-1);
    }
  }
  const check = (tx: Transaction) => refuseUnsettled(tx, day);
  await dropDayPartition(db, TRACKED_DAYS_TABLE, { day, check });
}

/** The same for days without a partition, row by row. */
async function compactRest(db: Database, upToDay: number): Promise<void> {
  const takeSome = async ({ lanes, limit }: GroupTurn) => {
    if (!(await hasFinalRest(db, { lanes, upToDay }))) return [];
    return db.transaction(async (tx) => {
      const days = await takeFinalDays(tx, { lanes, upToDay, limit });
      await addSpans(tx, spansOf(days));
      return days;
    });
  };
  const inTurn = rotationOf(db, 'compact-days');
  await repeatInBatches(async (limit) => (await inTurn(limit, takeSome)).length);
}

/** Consecutive days at one tier become one span. */
export function spansOf(days: readonly (DayKey & { creditsCharged: number })[]): ProductSpan[] {
  const spans: ProductSpan[] = [];
  const byProduct = Map.groupBy(days, ({ accountId, code }) => `${accountId}/${code}`);
  for (const productDays of byProduct.values()) {
    let last: ProductSpan | undefined;
    for (const { accountId, code, day, creditsCharged } of productDays.toSorted(
      (a, b) => a.day - b.day,
    )) {
      const tier = tierPaidBy(creditsCharged);
      if (last !== undefined && last.tier === tier && last.toDay === day - 1) last.toDay = day;
      else {
        last = { accountId, code, fromDay: day, toDay: day, tier };
        spans.push(last);
      }
    }
  }
  return spans;
}

/**
 * Repeats `act` until it finds nothing. Uses many small transactions: one transaction for ten
 * million rows ran into its timeout, every day again.
 */
async function repeatInBatches(act: (limit: number) => Promise<number>): Promise<void> {
  while ((await act(ROWS_PER_BATCH)) > 0);
}

const itemOf = ({ code, accountId, day }: DayKey) => `${code}/${accountId}/${dayText(day)}`;
const dayText = (day: number) => isoTime(day * DAY_MS).slice(0, 10);

/** Earlier versions quarantined refunds as outbox rows. */
type Payload = DayVerdict | StoredOutboxRow;

export const settleDaysHandler: QuarantineHandler = {
  loop: SETTLE_DAYS,
  retry: (deps, item) =>
    release(deps, item, async (tx) => {
      const payload = item.payload as Payload;
      if ('kind' in payload) await insertOutboxRows(tx, [outboxRowOf(payload)]);
      else await setSettlement(tx, payload, payload.isKept ? 'toKeep' : 'toRefund');
    }),
  drop: {
    means: 'The day is not refunded.',
    losesMoney: ({ payload }) => {
      const day = payload as Payload;
      if ('isKept' in day && day.isKept) return null;
      const which = `of ${dayText(day.day)} for product ${day.code}, account ${day.accountId},`;
      return `The refund ${which} would never be booked.`;
    },
    run: async (tx, { payload }) => {
      const day = payload as Payload;
      if ('isKept' in day) await markSettled(tx, [{ ...day, isRefunded: false }]);
    },
  },
};
