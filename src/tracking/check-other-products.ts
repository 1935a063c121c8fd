// Checks the other scheduled products when one is lost: reads how many are lost now, and collects
// some early, so that a loss among few or rarely collected products is decided within minutes.
import { readStates } from '../catalog/products.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { MINUTE_MS, SECOND_MS } from '../foundation/time.ts';
import type { ProductState } from './isolated-loss.ts';
import { bringForward, sampleSchedule } from './schedule.ts';

/** Reads all of up to a thousand products, and 2,048 of any larger number. */
const SAMPLED_PER_LANE = 8;
/** How long one reading is shared, in real time and in the time of the observations. */
const SHARED_REAL_MS = SECOND_MS;
const SHARED_MS = 10 * SECOND_MS;
/**
 * The time from a loss to the early collection of other products. The loss itself is repeated after
 * five minutes or more.
 */
const OTHERS_AFTER_MS = 2 * MINUTE_MS;
const LOCK_WAIT_MS = 250;

type Deps = { db: Database; log: Log };
type Reading = { atMs: number; readMs: number; states: Promise<ProductState[]> };

const lastReading = new WeakMap<Database, Reading>();

/** Returns the scheduled products that had something to lose; shares one reading between calls. */
export async function readOtherProducts(
  { db }: Deps,
  atMs: number,
): Promise<readonly ProductState[]> {
  const last = lastReading.get(db);
  const isCurrent =
    last !== undefined &&
    monotonicMs() - last.readMs < SHARED_REAL_MS &&
    Math.abs(atMs - last.atMs) < SHARED_MS;
  if (isCurrent) return last.states;
  const states = readSample(db);
  lastReading.set(db, { atMs, readMs: monotonicMs(), states });
  // After a failure the next call reads again.
  states.catch(() => lastReading.delete(db));
  return states;
}

async function readSample(db: Database): Promise<ProductState[]> {
  const states = await readStates(db, await sampleSchedule(db, SAMPLED_PER_LANE));
  return states
    .filter(({ hasOffers }) => hasOffers)
    .map(({ code, observedAtMs, loss }) => ({
      code,
      seenAtMs: observedAtMs,
      isLost: loss !== undefined,
    }));
}

const lastCollectedEarlyAtMs = new WeakMap<Database, number>();

/** Runs at most once every two minutes, however many losses are held. Serves and charges nobody. */
export async function collectOthersEarly(
  { db, log }: Deps,
  { codes, atMs }: { codes: readonly string[]; atMs: number },
): Promise<void> {
  const lastAtMs = lastCollectedEarlyAtMs.get(db);
  if (lastAtMs !== undefined && Math.abs(atMs - lastAtMs) < OTHERS_AFTER_MS) return;
  lastCollectedEarlyAtMs.set(db, atMs);
  try {
    const dueAtMs = atMs + OTHERS_AFTER_MS;
    const patient = withLockTimeout(db, LOCK_WAIT_MS);
    await inGroups(db, codes, {
      keyOf: (code) => code,
      work: (part) => patient.transaction((tx) => bringForward(tx, { codes: part, dueAtMs })),
    });
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    // They are collected in their regular slots.
    log.warn({ reason: String(error) }, 'other products were not brought forward');
  }
}
