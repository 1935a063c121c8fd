// The figures by which an operator sees that tracking falls behind: the age of the outbox, pending
// syncs, unsettled days, and the slots that were served in time.
import { expect, test } from 'vitest';
import { collectDue } from '../../src/collection/collect-due.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { EMPTY_BACKLOG, measureBacklog } from '../../src/tracking/measure-backlog.ts';
import { settleDays } from '../../src/tracking/settle-days.ts';
import { dayOf, nextSlot, phaseMs } from '../../src/tracking/slot.ts';
import { newSession, PASSWORD, sendRequest } from '../support/session.ts';
import { type Watching, watchedMarket } from '../support/watched-market.ts';

test('the backlog is what no loop has done yet, and empty when they have', async () => {
  const { app, clock, db, codes } = await watchedMarket({ customers: 1, products: 1 });
  const code = codes[0] as string;
  while ((await fanOut(app)) > 0);
  clock.setMs(nextSlot(clock.nowMs() + DAY_MS, phaseMs(code), HOUR_MS));
  while ((await collectDue(app, { isTracked: true })) > 0);
  const collectedAtMs = clock.nowMs();
  await db.query('update tracked_products set is_pending = true');
  clock.advanceMs(MINUTE_MS);
  expect(await measureBacklog(app.db)).toMatchObject({
    oldestOutboxAtMs: collectedAtMs,
    pendingSyncs: 1,
  });
  while ((await fanOut(app)) > 0);
  await db.query('update tracked_products set is_pending = false');
  const open = await measureBacklog(app.db);
  expect(open).toMatchObject({ oldestOutboxAtMs: null, pendingSyncs: 0 });
  expect(open.settlableAtMs).toBeLessThanOrEqual((dayOf(collectedAtMs) + 1) * DAY_MS + HOUR_MS);
  clock.setMs((dayOf(collectedAtMs) + 1) * DAY_MS + HOUR_MS + 1);
  await settleDays(app);
  expect(await measureBacklog(app.db)).toEqual(EMPTY_BACKLOG);
});

test('slots are counted as served in time, late or missed', async () => {
  const { app, clock, codes } = await watchedMarket({ customers: 1, products: 1 });
  const phase = phaseMs(codes[0] as string);
  const collectAfter = async (slots: number, ms: number) => {
    clock.setMs(nextSlot(clock.nowMs(), phase, HOUR_MS) + (slots - 1) * HOUR_MS + ms);
    while ((await collectDue(app, { isTracked: true })) > 0);
  };
  await collectAfter(1, MINUTE_MS);
  app.metrics.slots.reset();
  await collectAfter(1, MINUTE_MS);
  await collectAfter(1, 30 * MINUTE_MS);
  await collectAfter(3, MINUTE_MS);
  const { values } = await app.metrics.slots.get();
  expect(Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))).toEqual({
    in_time: 2,
    late: 1,
    missed: 2,
  });
  expect(new Set(values.map(({ labels }) => labels.tier))).toEqual(new Set([0]));
});

test('a customer sees how many of its own slots were served in time, today and in a week', async () => {
  const { app, clock, codes, service, customers } = await watchedMarket({
    customers: 1,
    products: 1,
  });
  const [who] = customers as [Watching];
  await app.signIn.addPerson({ ...who, password: PASSWORD });
  const cookie = await newSession(service, { ...who, password: PASSWORD });
  const phase = phaseMs(codes[0] as string);
  const shares = async () => {
    const path = '/session/tracked';
    const { body } = await sendRequest(service, { cookie }, { method: 'GET', path });
    const { slots_due_today, slots_in_time_today, slots_due_week, slots_in_time_week } = body[0];
    return {
      today: [slots_in_time_today, slots_due_today],
      week: [slots_in_time_week, slots_due_week],
    };
  };
  const collectAfter = async (slots: number, ms: number) => {
    clock.setMs(nextSlot(clock.nowMs(), phase, HOUR_MS) + (slots - 1) * HOUR_MS + ms);
    while ((await collectDue(app, { isTracked: true })) > 0);
  };
  expect(await shares()).toEqual({ today: [0, 0], week: [0, 0] });
  await collectAfter(1, MINUTE_MS);
  await collectAfter(1, 30 * MINUTE_MS);
  await collectAfter(3, MINUTE_MS);
  expect(await shares()).toEqual({ today: [2, 5], week: [2, 5] });
  await collectAfter(24, MINUTE_MS);
  // The day before had 24 slots from its start; those after the fifth were missed.
  const { today, week } = await shares();
  expect(today[0]).toBe(1);
  expect(week).toEqual([3, 29]);
});
