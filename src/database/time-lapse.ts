// Business time in a database that lives in time lapse: all processes and commands count from the same
// anchor, time stands still while nothing runs, and normal speed does not open it by accident.
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
/** A service that runs says so this often; three times that without a word, and it does not. */
export const PULSE_MS = 1_000;
const SILENCE_MS = 3 * PULSE_MS;

/** The anchor, when a service last said that it runs, and whether it said that it stops. */
type Lapse = ClockAnchor & { seenRealMs: number; stopped: boolean };

/** The clock of a service that starts with this speed. */
export async function serviceClock(db: Database, speed: number): Promise<Clock> {
  const known = await readLapse(db);
  if (speed === 1) {
    if (known === undefined) return realClock;
    throw new Error(
      `This database has lived in time lapse, up to ${isoTime(standingAt(known))}: start it with CLOCK_SPEED above 1, or take another DATA_DIR.`,
    );
  }
  const nowMs = realNowMs();
  const others = known !== undefined && isRunning(known, nowMs);
  if (others && known.speed !== speed) {
    throw new Error(`Another process runs this database with CLOCK_SPEED=${known.speed}.`);
  }
  const anchor: ClockAnchor = others
    ? known
    : { businessMs: known === undefined ? nowMs : standingAt(known), realMs: nowMs, speed };
  const { businessMs, realMs } = anchor;
  await writeLapse(db, { businessMs, realMs, speed, seenRealMs: nowMs, stopped: false });
  return lapseClock(anchor);
}

/** The clock of an operator's command: the service's own, or where its time stands. */
export async function commandClock(db: Database): Promise<Clock> {
  const known = await readLapse(db);
  if (known === undefined) return realClock;
  return isRunning(known, realNowMs()) ? lapseClock(known) : manualClock(standingAt(known));
}

/**
 * Says that a service still runs, or that it stops. While the database is away nobody can say so, and a process that
 * starts afterwards counts from an older time: the process whose time is ahead writes its own down, the others follow.
 */
export async function pulseTimeLapse(db: Database, clock: Clock, stopped: boolean): Promise<void> {
  const known = await readLapse(db);
  if (known === undefined || !isLapse(clock)) return;
  clock.follow(known);
  const { businessMs, realMs, speed } = clock.anchor();
  await writeLapse(db, { businessMs, realMs, speed, seenRealMs: realNowMs(), stopped });
}

const isLapse = (clock: Clock): clock is LapseClock => 'follow' in clock;

const isRunning = (lapse: Lapse, nowMs: number) =>
  !lapse.stopped && nowMs - lapse.seenRealMs < SILENCE_MS;

/** Where time stands. A killed service may have lived on for a pulse: time must not go back. */
function standingAt(lapse: Lapse): number {
  const lastRealMs = lapse.stopped ? lapse.seenRealMs : lapse.seenRealMs + SILENCE_MS;
  return Math.floor(lapse.businessMs + (lastRealMs - lapse.realMs) * lapse.speed);
}

async function readLapse(db: Database): Promise<Lapse | undefined> {
  const text = await readFact(db, FACT);
  return text === undefined ? undefined : (JSON.parse(text) as Lapse);
}

const writeLapse = (db: Database, lapse: Lapse) => writeFact(db, FACT, JSON.stringify(lapse));
