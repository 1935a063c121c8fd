// Many histories of tracked products at once, on one timeline: random outages, tier changes,
// removals, suspensions, GETs, late and killed workers; checks the outcome of each charged day.
import { collectDue } from '../../src/collection/collect-due.ts';
import { manualClock, monotonicMs } from '../../src/foundation/clock.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { FetchOutcome } from '../../src/sources/source.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { settleDays } from '../../src/tracking/settle-days.ts';
import { dayOf, phaseMs, slotStart, slotsBetween } from '../../src/tracking/slot.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import { intervalSeconds, type Tier } from '../../src/tracking/tier.ts';
import type { Customer, Service } from './service.ts';
import { startService } from './service.ts';

const START = Date.parse('2026-11-16T00:00:00Z');
const PATH = '/retailer/oversight/products';

/** The product of one history, and what the test has observed of it. */
type History = {
  code: string;
  who: Customer;
  trackedId: string | null;
  tier: Tier;
  /** Null while it is not tracked. */
  sinceAtMs: number | null;
  spans: { from: number; to: number; tier: Tier }[];
  servedAtMs: number | null;
  /** Slots that were served, by day. */
  served: Map<number, number>;
  /** Days on which it was suspended at some time: slots served then may have been reversed. */
  suspendedOn: Set<number>;
  outage: { fromAtMs: number; toAtMs: number };
  /** Separate for each history, so that a seed repeats it independently of the others. */
  random: () => number;
};

/** Numbers from 0 to 1 that a seed repeats (mulberry32). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export type Fault = { code: string; day: number; due: number; served: number; booked: number[] };

/**
 * Runs the histories for some days, or until the time is up; returns the charged days and those
 * with a wrong outcome.
 */
export async function runHistories(input: {
  seed: number;
  count: number;
  days: number;
  endMs: number;
  /** Starts a new process on the same database, with empty caches, after so many hours. */
  restartEveryHours?: number;
  settleEveryHours?: number;
}): Promise<{
  service: Service;
  chargedDays: number;
  refundedDays: number;
  faults: Fault[];
}> {
  const random = randomFrom(input.seed);
  const chance = (share: number) => random() < share;
  const clock = manualClock(START);
  const simulated = createSimulatedSource({ clock });
  const byCode = new Map<string, History>();
  const isDown = (code: string) => {
    const outage = byCode.get(code)?.outage;
    return (
      outage !== undefined && clock.nowMs() >= outage.fromAtMs && clock.nowMs() < outage.toAtMs
    );
  };
  const source = {
    ...simulated,
    async fetchBatch(codes: readonly string[]): Promise<FetchOutcome[]> {
      const outcomes = await simulated.fetchBatch(codes);
      return codes.map((code, index) =>
        isDown(code)
          ? { kind: 'unavailable' as const, reason: 'outage' }
          : (outcomes[index] as FetchOutcome),
      );
    },
  };
  let service = await startService({ clock, source, isDurable: false });
  let { app } = service;
  const send = (who: Customer, method: string, path: string, body?: object) =>
    service.send(who, method, `${PATH}${path}`, {
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
    });

  // A few accounts have little credit and are suspended without an action of the test.
  const accounts = await Promise.all(
    Array.from({ length: Math.ceil(input.count / 20) * 3 }, (_, index) =>
      service.newCustomer({ plan: index % 3 === 0 ? 'Free' : 'Scale', perSecond: 1_000_000 }),
    ),
  );
  const histories: History[] = [];
  for (let index = 0; index < input.count; index++) {
    const account = index % 20 < 4 ? 0 : 1 + (index % 2);
    histories.push({
      code: simulated.productAt(5_000 + index).code,
      who: accounts[Math.floor(index / 20) * 3 + account] as Customer,
      random: randomFrom(input.seed * 1_000_003 + index),
      trackedId: null,
      tier: 4,
      sinceAtMs: null,
      spans: [],
      servedAtMs: null,
      served: new Map(),
      suspendedOn: new Set(),
      outage: { fromAtMs: 0, toAtMs: 0 },
    });
  }
  for (const history of histories) byCode.set(history.code, history);

  const endSpan = (history: History) => {
    if (history.sinceAtMs === null) return;
    history.spans.push({ from: history.sinceAtMs, to: clock.nowMs(), tier: history.tier });
  };
  const act = async (history: History) => {
    const { who, random } = history;
    if (history.trackedId === null) {
      const tier = (random() < 0.5 ? 0 : Math.floor(random() * 5)) as Tier;
      const { body, status } = await send(who, 'POST', '', {
        retailer_product_code: history.code,
        tier,
      });
      // During its outage it cannot be looked up.
      if (status !== 201) return;
      Object.assign(history, { trackedId: body.id, tier, sinceAtMs: clock.nowMs() });
      history.servedAtMs = clock.nowMs();
      return;
    }
    const roll = random();
    if (roll < 0.5) await send(who, 'GET', `/${history.trackedId}`);
    else if (roll < 0.8) {
      const tier = Math.floor(random() * 5) as Tier;
      const { status } = await send(who, 'PATCH', `/${history.trackedId}`, { tier });
      if (status !== 200 || tier === history.tier) return;
      endSpan(history);
      Object.assign(history, { tier, sinceAtMs: clock.nowMs() });
    } else {
      await send(who, 'DELETE', `/${history.trackedId}`);
      endSpan(history);
      Object.assign(history, { trackedId: null, sinceAtMs: null });
    }
  };

  /** Accounts act concurrently, the products of one account one after the other. */
  const actAll = async (acting: readonly History[]) => {
    await Promise.all(
      [...Map.groupBy(acting, ({ who }) => who).values()].map(async (histories) => {
        for (const history of histories) await act(history);
      }),
    );
  };
  /**
   * Its source fails for a while, now and then; returns whether its customer does something in this
   * hour.
   */
  const passHour = (history: History): boolean => {
    const { random } = history;
    if (random() < 0.015) {
      const hours = Math.floor(random() * (random() < 0.5 ? 6 : 40));
      history.outage = { fromAtMs: clock.nowMs(), toAtMs: clock.nowMs() + hours * HOUR_MS };
    }
    return random() < 0.03;
  };

  /**
   * What the product's side shows right after collecting: which slots were served, who is
   * suspended.
   */
  const observe = async () => {
    const rows = await app.db.query<{ code: string; tier: Tier; at: number; out: boolean }>(
      `select retailer_product_code as code, tier, served_at as at, is_suspended as out from watchers`,
    );
    for (const { code, tier, at, out } of rows) {
      const history = byCode.get(code) as History;
      const today = dayOf(clock.nowMs());
      if (out) history.suspendedOn.add(today).add(today - 1);
      if (at === null || at === history.servedAtMs) continue;
      // Reversed: the day could not be paid.
      if (history.servedAtMs !== null && at < history.servedAtMs) history.suspendedOn.add(today);
      else {
        const day = dayOf(slotStart(at, phaseMs(code), intervalSeconds(tier) * 1000));
        // Too late for its day.
        if (at < (day + 1) * DAY_MS + HOUR_MS)
          history.served.set(day, (history.served.get(day) ?? 0) + 1);
      }
      history.servedAtMs = at;
    }
  };

  let settleFromAt = START;
  let hours = 1;
  const work = async () => {
    while ((await collectDue(app, { isTracked: true })) > 0);
    await observe();
    // A worker that is killed between the two sides, or that is late.
    if (chance(0.1)) await fanOut({ ...app, db: killedBetween(app.db) }).catch(() => {});
    if (chance(0.8)) while ((await fanOut(app)) > 0);
    while (await syncPending(app));
    if (hours % (input.settleEveryHours ?? 1) !== 0) return;
    await resumeSuspended(app);
    if (clock.nowMs() < settleFromAt) return;
    if (chance(0.1)) await settleDays({ ...app, db: killedBetween(app.db) }).catch(() => {});
    await settleDays(app);
    // Settling stops for up to three days now and then.
    if (chance(0.05)) settleFromAt = clock.nowMs() + Math.floor(random() * 72) * HOUR_MS;
  };

  await actAll(histories.filter((history) => history.random() < 0.7));
  const endAt = START + input.days * DAY_MS;
  const isRestart = (hour: number) => hour % (input.restartEveryHours ?? Infinity) === 0;
  while (clock.nowMs() < endAt && monotonicMs() < input.endMs) {
    clock.advanceMs(HOUR_MS);
    if (isRestart(hours++)) {
      service = await startService({ clock, source, database: service.database });
      app = service.app;
    }
    await actAll(histories.filter(passHour));
    await work();
  }
  while ((await fanOut(app)) > 0);
  while (await syncPending(app));
  await observe();
  // Nothing is collected any more: what was due until then is not kept.
  clock.advanceMs(2 * DAY_MS);
  for (const history of histories) endSpan(history);
  await settleDays(app);
  return { service, ...(await compare(service, byCode)) };
}

/** The account's side commits, the product's side does not: as if killed in between. */
function killedBetween(db: Service['app']['db']): Service['app']['db'] {
  let ended = 0;
  return {
    ...db,
    transaction: <T>(work: Parameters<typeof db.transaction<T>>[0]) =>
      db.transaction<T>(async (tx) => {
        const result = await work(tx);
        if (ended++ >= 1) throw new Error('killed');
        return result;
      }),
  };
}

/** Settling stops for at most three days here, and begins a few hours after them. */
const SETTLED_WITHIN_MS = 80 * HOUR_MS;

async function compare({ app }: Service, byCode: ReadonlyMap<string, History>) {
  const rows = await app.db.query<{ account: string; code: string; day: number; credits: number }>(
    `select account_id as account, retailer_product_code as code, credits,
            split_part(reference, ':', 3)::integer as day
       from ledger_entries where reference like 'tracking:%' or reference like 'promise:%'`,
  );
  const refills = await app.db.query<{ account: string; at: number }>(
    `select account_id as account, at from ledger_entries where kind = 'refresh'`,
  );
  /** What is due of an earlier billing period when a day is settled lapsed with it. */
  const mayLapse = (account: string, day: number) =>
    refills.some((one) => {
      const sinceMs = one.at - (day + 1) * DAY_MS;
      return one.account === account && sinceMs >= 0 && sinceMs <= SETTLED_WITHIN_MS;
    });
  const days = Map.groupBy(rows, ({ account, code, day }) => `${account}/${code}/${day}`);
  const faults: Fault[] = [];
  let refundedDays = 0;
  for (const entries of days.values()) {
    const { account, code, day } = entries[0] as (typeof rows)[number];
    const history = byCode.get(code) as History;
    const due = dueOn(history, day);
    const served = history.served.get(day) ?? 0;
    const booked = entries.map(({ credits }) => credits);
    const charged = -booked.filter((credits) => credits < 0).reduce((a, b) => a + b, 0);
    const refunds = booked.filter((credits) => credits > 0);
    if (refunds.length > 0) refundedDays++;
    const isWhole = refunds.length === 0 || (refunds.length === 1 && refunds[0] === charged);
    const isRight =
      history.suspendedOn.has(day) ||
      refunds.length > 0 === served * 2 < due ||
      (refunds.length === 0 && mayLapse(account, day));
    if (!isWhole || !isRight) faults.push({ code, day, due, served, booked });
  }
  const open = await app.db.query<{ code: string; day: number }>(
    'select retailer_product_code as code, day from tracked_days where settlement <> 1',
  );
  for (const { code, day } of open) faults.push({ code, day, due: -1, served: -1, booked: [] });
  return { chargedDays: days.size, refundedDays, faults };
}

function dueOn({ code, spans }: History, day: number): number {
  return spans.reduce((sum, { from, to, tier }) => {
    const span = {
      fromAtMs: Math.max(from, day * DAY_MS),
      toAtMs: Math.min(to, (day + 1) * DAY_MS),
    };
    return sum + slotsBetween(span, phaseMs(code), intervalSeconds(tier) * 1000);
  }, 0);
}
