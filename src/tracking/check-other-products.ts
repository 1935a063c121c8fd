// Which products of the schedule are lost at the moment, read for all calls of a moment together,
// and the observing of some earlier than they are due, so that a loss among few or rarely observed
// products is decided in minutes.
import { readStates } from '../catalog/products.ts';
import { blameFor } from '../database/blame.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { ProductState } from './isolated-loss.ts';
import { bringForward, sampleSchedule } from './schedule.ts';

/** All of a thousand products, and 2,048 of any number of them. */
const SAMPLED_PER_LANE = 8;
/** Read again after this, in real time and in that of the observations. */
const KEPT_REAL_MS = 1_000;
const KEPT_MS = 10_000;
/**
 * Between the loss and the observation of the others; the loss itself is repeated after five
 * minutes or more.
 */
const OTHERS_AFTER_MS = 120_000;
const LOCK_WAIT_MS = 250;

type Deps = { db: Database; log: Log };
type Taken = { at: number; readMs: number; states: Promise<ProductState[]> };

const lastTaken = new WeakMap<Database, Taken>();

export async function readOtherProducts(
  { db }: Deps,
  at: number,
): Promise<readonly ProductState[]> {
  const last = lastTaken.get(db);
  const isKept =
    last !== undefined &&
    monotonicMs() - last.readMs < KEPT_REAL_MS &&
    Math.abs(at - last.at) < KEPT_MS;
  if (isKept) return last.states;
  const states = readAll(db);
  lastTaken.set(db, { at, readMs: monotonicMs(), states });
  // The next one reads again.
  states.catch(() => lastTaken.delete(db));
  return states;
}

/** Those that have something to lose. */
async function readAll(db: Database): Promise<ProductState[]> {
  const states = await readStates(db, await sampleSchedule(db, SAMPLED_PER_LANE));
  return states
    .filter(({ hasOffers }) => hasOffers)
    .map(({ code, observedAtMs, loss }) => ({
      code,
      seenAtMs: observedAtMs,
      isLost: loss !== undefined,
    }));
}

const lastBrought = new WeakMap<Database, number>();

/**
 * At most some every two minutes, however many losses wait. Nobody's slot is served by it, and
 * nobody charged.
 */
export async function collectOthersEarly(
  { db, log }: Deps,
  { codes, at }: { codes: readonly string[]; at: number },
): Promise<void> {
  const last = lastBrought.get(db);
  if (last !== undefined && Math.abs(at - last) < OTHERS_AFTER_MS) return;
  lastBrought.set(db, at);
  try {
    const dueAtMs = at + OTHERS_AFTER_MS;
    await withLockTimeout(db, LOCK_WAIT_MS).transaction((tx) =>
      bringForward(tx, { codes, dueAtMs }),
    );
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    // They are seen at their own slots.
    log.warn({ reason: String(error) }, 'other products were not brought forward');
  }
}
