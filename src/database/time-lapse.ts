// Business time of a database in time lapse: all processes and commands count from the same anchor,
// time stops while no service runs, and a service at normal speed refuses the database.
import {
  type Clock,
  type ClockAnchor,
  isoTime,
  type LapseClock,
  lapseClock,
  manualClock,
  realClock,
  realNowMs,
} from '../foundation/clock.ts';
import type { Database } from './database.ts';
import { readFact, writeFact } from './service-facts.ts';

const FACT = 'time-lapse';
/** A running service reports this often; after three missed reports it counts as stopped. */
export const PULSE_MS = 1_000;
const SILENCE_MS = 3 * PULSE_MS;

/** The anchor, the time of the last report, and whether the service reported its stop. */
type Lapse = ClockAnchor & { seenRealMs: number; stopped: boolean };

/** The clock of a service that starts with this speed. */
export async function serviceClock(db: Database, speed: number): Promise<Clock> {
  const lapse = await readLapse(db);
  if (speed === 1) {
    if (lapse === undefined) return realClock;
    throw new Error(
      `This database has lived in time lapse, up to ${isoTime(stoppedAtMs(lapse))}: start it with CLOCK_SPEED above 1, or take another DATA_DIR.`,
    );
  }
  const nowMs = realNowMs();
  const others = lapse !== undefined && isRunning(lapse, nowMs);
  if (others && lapse.speed !== speed) {
    throw new Error(`Another process runs this database with CLOCK_SPEED=${lapse.speed}.`);
  }
  const anchor: ClockAnchor = others
    ? lapse
    : { businessMs: lapse === undefined ? nowMs : stoppedAtMs(lapse), realMs: nowMs, speed };
  const { businessMs, realMs } = anchor;
  await writeLapse(db, { businessMs, realMs, speed, seenRealMs: nowMs, stopped: false });
  return lapseClock(anchor);
}

/** The clock of an operator's command: the service's, or fixed at the time it stopped. */
export async function commandClock(db: Database): Promise<Clock> {
  const lapse = await readLapse(db);
  if (lapse === undefined) return realClock;
  return isRunning(lapse, realNowMs()) ? lapseClock(lapse) : manualClock(stoppedAtMs(lapse));
}

/**
 * Reports that a service runs or stops. While the database is unreachable nobody can report, and a
 * process that starts afterwards counts from an older time. The process that is ahead stores its
 * anchor, and the others follow it.
 */
export async function pulseTimeLapse(db: Database, clock: Clock, stopped: boolean): Promise<void> {
  const lapse = await readLapse(db);
  if (lapse === undefined || !isLapse(clock)) return;
  clock.follow(lapse);
  const { businessMs, realMs, speed } = clock.anchor();
  await writeLapse(db, { businessMs, realMs, speed, seenRealMs: realNowMs(), stopped });
}

const isLapse = (clock: Clock): clock is LapseClock => 'follow' in clock;

const isRunning = (lapse: Lapse, nowMs: number) =>
  !lapse.stopped && nowMs - lapse.seenRealMs < SILENCE_MS;

/**
 * Business time at the stop. A killed service may have run on for a pulse: time must not go back.
 */
function stoppedAtMs(lapse: Lapse): number {
  const lastRealMs = lapse.stopped ? lapse.seenRealMs : lapse.seenRealMs + SILENCE_MS;
  return Math.floor(lapse.businessMs + (lastRealMs - lapse.realMs) * lapse.speed);
}

async function readLapse(db: Database): Promise<Lapse | undefined> {
  const text = await readFact(db, FACT);
  return text === undefined ? undefined : (JSON.parse(text) as Lapse);
}

const writeLapse = (db: Database, lapse: Lapse) => writeFact(db, FACT, JSON.stringify(lapse));
