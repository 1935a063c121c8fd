// Runs the loops of a worker by hand, each to its end, on a clock that the test sets.
import { expect } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import type { ManualClock } from '../../src/foundation/clock.ts';
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
  /** Advances the clock in steps and works after each. */
  pass(ms: number, stepMs: number): Promise<number>;
};

export function driveOversight({ app }: Service, clock: ManualClock): Oversight {
  const untilNothing = async (round: () => Promise<number>) => {
    let total = 0;
    for (let done = await round(); done > 0; done = await round()) total += done;
    return total;
  };
  const work = async () => {
    const claimed = await untilNothing(() => collectDue(app, { isTracked: true }));
    await untilNothing(() => fanOut(app));
    while (await syncPending(app));
    await resumeSuspended(app);
    await settleDays(app);
    await untilNothing(() => fanOut(app));
    while (await syncPending(app));
    return claimed;
  };
  /**
   * Between full hours only what is due is collected: days and periods begin and end at full hours.
   */
  const collectOnly = async () => {
    const claimed = await untilNothing(() => collectDue(app, { isTracked: true }));
    if (claimed === 0) return 0;
    await untilNothing(() => fanOut(app));
    while (await syncPending(app));
    return claimed;
  };
  const hourOf = (ms: number) => Math.floor(ms / 3_600_000);
  return {
    work,
    async pass(ms, stepMs) {
      let claimed = 0;
      const end = clock.nowMs() + ms;
      while (clock.nowMs() < end) {
        const hour = hourOf(clock.nowMs());
        clock.setMs(Math.min(clock.nowMs() + stepMs, end));
        const isNewHour = hourOf(clock.nowMs()) !== hour || clock.nowMs() === end;
        claimed += await (isNewHour ? work() : collectOnly());
      }
      return claimed;
    },
  };
}
