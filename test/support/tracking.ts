// Runs the loops of a worker by hand, each to its end, on a clock that the test sets.
import { expect } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import { statement } from '../../src/database/statement.ts';
import { isoTime, type ManualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { resumeSuspended } from '../../src/tracking/resume-suspended.ts';
import { settleDays } from '../../src/tracking/settle-days.ts';
import { syncPending } from '../../src/tracking/sync-watchers.ts';
import type { Customer, Service } from './service.ts';

/** Tracks a product as a customer would; returns its id. */
export async function track(service: Service, who: Customer, body: object): Promise<string> {
  const response = await service.send(who, 'POST', '/retailer/oversight/products', {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
  expect(response.status).toBe(201);
  return response.body.id;
}

export type Oversight = {
  /** Runs the worker's loops until nothing is due; returns the number of claimed products. */
  work(): Promise<number>;
  /** Advances the clock in steps; after each, runs the loops that have something to do. */
  pass(ms: number, stepMs: number): Promise<number>;
};

type Waiting = { due: boolean; outgoing: boolean; pending: boolean; suspended: boolean };

/** Reads which loops have something to do: idle ones took half the time of long tests. */
async function readWaiting({ app }: Service): Promise<Waiting> {
  const [waiting] = await app.db.query<Waiting>(
    statement(
      'read-waiting',
      `select exists (select 1 from collection_schedule where due_at <= $1) as due,
              exists (select 1 from outgoing) as outgoing,
              exists (select 1 from tracked_products where is_pending) as pending,
              exists (select 1 from tracked_products where is_suspended) as suspended`,
    ),
    [isoTime(app.clock.nowMs())],
  );
  return waiting as Waiting;
}

const hourOf = (ms: number) => Math.floor(ms / HOUR_MS);

/** Days are settled in the hours after they end; the other times check that nothing is repeated. */
const isTimeToSettle = (hour: number) => hour % 24 <= 2 || hour % 6 === 0;

export function driveOversight(service: Service, clock: ManualClock): Oversight {
  const { app } = service;
  const untilNothing = async (round: () => Promise<number>) => {
    let total = 0;
    for (let done = await round(); done > 0; done = await round()) total += done;
    return total;
  };
  /** A round that empties the outbox needs no idle one after it: each takes four statements. */
  const fanOutAll = () =>
    untilNothing(async () => {
      const rows = await fanOut(app);
      return rows > 0 && (await readWaiting(service)).outgoing ? rows : 0;
    });
  const syncAll = async () => {
    while (await syncPending(app));
  };
  const collectAll = async () => {
    let claimed = 0;
    for (;;) {
      const some = await collectDue(app, { isTracked: true });
      claimed += some;
      if (some === 0 || !(await readWaiting(service)).due) return claimed;
    }
  };
  const work = async () => {
    const claimed = await collectAll();
    await fanOutAll();
    await syncAll();
    await resumeSuspended(app);
    await settleDays(app);
    await fanOutAll();
    await syncAll();
    return claimed;
  };
  const propagate = async () => {
    if ((await readWaiting(service)).outgoing) await fanOutAll();
    if ((await readWaiting(service)).pending) await syncAll();
  };
  /** Between full hours only what is due is collected: days and periods end at full hours. */
  const step = async (options: { isNewHour: boolean; settles: boolean }) => {
    const { due, outgoing, pending, suspended } = await readWaiting(service);
    const claimed = due ? await collectAll() : 0;
    if (claimed > 0 || (options.isNewHour && (outgoing || pending))) await propagate();
    if (!options.isNewHour) return claimed;
    const resumes = suspended || (await readWaiting(service)).suspended;
    if (resumes) await resumeSuspended(app);
    if (options.settles) await settleDays(app);
    if (resumes || options.settles) await propagate();
    return claimed;
  };
  return {
    work,
    async pass(ms, stepMs) {
      let claimed = 0;
      const end = clock.nowMs() + ms;
      while (clock.nowMs() < end) {
        const hour = hourOf(clock.nowMs());
        clock.setMs(Math.min(clock.nowMs() + stepMs, end));
        const isEnd = clock.nowMs() === end;
        const newHour = hourOf(clock.nowMs());
        claimed += await step({
          isNewHour: isEnd || newHour !== hour,
          settles: isEnd || stepMs > HOUR_MS || (newHour !== hour && isTimeToSettle(newHour)),
        });
      }
      return claimed;
    },
  };
}
