// Time lapse: one business time per database, shared by all processes and stopped while none runs.
// The test sets the real time: nothing here waits.
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  commandClock,
  PULSE_MS,
  pulseTimeLapse,
  serviceClock,
} from '../../src/database/time-lapse.ts';
import { type Clock, realClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { cloneDatabase } from '../support/database.ts';

const START = Date.parse('2026-11-14T12:00:00.000Z');
const SPEED = 3600;

const { db } = await cloneDatabase();

beforeEach(async () => {
  await db.query('delete from service_facts');
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.setSystemTime(START);
});
afterEach(() => {
  vi.useRealTimers();
});

const realMsPass = (ms: number) => vi.setSystemTime(Date.now() + ms);

/** Runs the service, which stores a heartbeat at every pulse. */
async function runFor(clock: Clock, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= PULSE_MS) {
    realMsPass(Math.min(left, PULSE_MS));
    await pulseTimeLapse(db, clock, false);
  }
}

/** Stops the service as its operator would: it stores that it stopped. */
async function stopFor(clock: Clock, ms: number): Promise<void> {
  await pulseTimeLapse(db, clock, true);
  realMsPass(ms);
}

/** Longer than a service may go without a heartbeat before it counts as stopped. */
const STOPPED_MS = 60_000;

describe('at normal speed', () => {
  test('the service and commands use real time, and nothing is stored', async () => {
    expect(await serviceClock(db, 1)).toBe(realClock);
    await pulseTimeLapse(db, realClock, false);
    expect(await commandClock(db)).toBe(realClock);
    expect(await db.query('select * from service_facts')).toEqual([]);
  });
});

describe('a service in time lapse', () => {
  test('starts at the current time and runs at its speed', async () => {
    const clock = await serviceClock(db, SPEED);
    expect(clock.speed).toBe(SPEED);
    expect(clock.nowMs()).toBe(START);
    realMsPass(1_500);
    expect(clock.nowMs()).toBe(START + 1.5 * HOUR_MS);
  });

  test('continues after a stop at the time when it stopped', async () => {
    const clock = await serviceClock(db, SPEED);
    await runFor(clock, 10 * PULSE_MS);
    await stopFor(clock, STOPPED_MS);
    const again = await serviceClock(db, SPEED);
    expect(again.nowMs()).toBe(START + 10 * HOUR_MS);
    realMsPass(1_000);
    expect(again.nowMs()).toBe(START + 11 * HOUR_MS);
  });

  test('continues after a kill at a time later than any it used, so time never goes back', async () => {
    const killed = await serviceClock(db, SPEED);
    await runFor(killed, 10 * PULSE_MS);
    realMsPass(PULSE_MS - 1);
    const diedAt = killed.nowMs();
    realMsPass(STOPPED_MS);
    const again = await serviceClock(db, SPEED);
    expect(again.nowMs()).toBeGreaterThan(diedAt);
    expect(again.nowMs()).toBe(START + 13 * HOUR_MS);
  });

  test('may continue at another speed, after any number of stops', async () => {
    const clock = await serviceClock(db, SPEED);
    await runFor(clock, 2 * PULSE_MS);
    await stopFor(clock, STOPPED_MS);
    const second = await serviceClock(db, 60);
    await runFor(second, 5 * PULSE_MS);
    await stopFor(second, STOPPED_MS);
    const third = await serviceClock(db, 86_400);
    expect(third.nowMs()).toBe(START + 2 * HOUR_MS + 5 * 60_000);
    expect(third.speed).toBe(86_400);
  });

  test('shares its time with a second process, which may not have another speed', async () => {
    const first = await serviceClock(db, SPEED);
    await runFor(first, 3 * PULSE_MS);
    realMsPass(500);
    const second = await serviceClock(db, SPEED);
    expect(second.nowMs()).toBe(first.nowMs());
    realMsPass(777);
    expect(second.nowMs()).toBe(first.nowMs());
    await expect(serviceClock(db, 60)).rejects.toThrow(
      `Another process runs this database with CLOCK_SPEED=${SPEED}.`,
    );
  });
});

describe('processes that share a database in time lapse', () => {
  test('agree again after the database was away while one of them restarted', async () => {
    const first = await serviceClock(db, SPEED);
    await runFor(first, 5 * PULSE_MS);
    // No process could store a heartbeat.
    realMsPass(20_000);
    const second = await serviceClock(db, SPEED);
    expect(second.nowMs()).toBeLessThan(first.nowMs());
    const before = first.nowMs();
    for (const clock of [second, first, second]) await pulseTimeLapse(db, clock, false);
    expect(first.nowMs()).toBe(before);
    expect(second.nowMs()).toBe(before);
    expect((await commandClock(db)).nowMs()).toBe(before);
  });
});

describe('a database that was used in time lapse', () => {
  test('is refused at normal speed with one line that explains what to do', async () => {
    const clock = await serviceClock(db, SPEED);
    await runFor(clock, 24 * PULSE_MS);
    for (const waitMs of [0, STOPPED_MS]) {
      await stopFor(clock, waitMs);
      await expect(serviceClock(db, 1)).rejects.toThrow(
        /^This database has lived in time lapse, up to 2026-11-15T12:00:00.000Z: start it with CLOCK_SPEED above 1, or .+$/,
      );
    }
  });
});

describe('a command', () => {
  test('uses the running service’s time', async () => {
    const service = await serviceClock(db, SPEED);
    await runFor(service, 7 * PULSE_MS);
    realMsPass(432);
    const command = await commandClock(db);
    expect(command.nowMs()).toBe(service.nowMs());
    expect(command.speed).toBe(SPEED);
    realMsPass(100);
    expect(command.nowMs()).toBe(service.nowMs());
  });

  test('finds that time stops while the service is stopped', async () => {
    const clock = await serviceClock(db, SPEED);
    await runFor(clock, 7 * PULSE_MS);
    await stopFor(clock, STOPPED_MS);
    const stoodAt = START + 7 * HOUR_MS;
    const command = await commandClock(db);
    expect(command.nowMs()).toBe(stoodAt);
    realMsPass(5_000);
    expect(command.nowMs()).toBe(stoodAt);
    expect((await commandClock(db)).nowMs()).toBe(stoodAt);
    expect((await serviceClock(db, SPEED)).nowMs()).toBe(stoodAt);
  });
});
