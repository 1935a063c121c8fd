// Sending what is due: as many requests at once as there are slots, of which each registration gets only some, so
// that a slow endpoint delays nobody else; what came of them is written down many at a time.
import { createHoldOff } from '../background/hold-off.ts';
import type { Loop } from '../background/periodic.ts';
import type { Signal } from '../background/signal.ts';
import { createBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, realNowMs, sleepMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { type Claim, type Claimed, claimDeliveries, LEASE_MS } from './claim-deliveries.ts';
import { createConcurrencyLimiter } from './concurrency-limiter.ts';
import {
  type FinishedAttempt,
  finishAttempts,
  HELD_OFF_MS,
  repeatLost,
} from './finish-attempts.ts';
import { type DeliveryOutcome, type Poster, TIMEOUT_MS } from './post.ts';
import type { DeliverIsolation } from './quarantine-delivery.ts';
import { signedHeaders } from './signature.ts';
import { holdWhilePaused } from './subscriptions.ts';

export type DeliverDeps = {
  db: Database;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'deliveryAttempts'>;
  /** Of the log's table, among others. */
  webhookMonths: PartitionKeeper;
  encryptionKeys: readonly Buffer[];
  poster: Poster;
};

export type DeliverLimits = {
  /** Requests under way at once, and those of one registration. */
  inFlightMax: number;
  perEndpointMax: number;
  /** How long requests under way at the stop may take; the rest is given up and tried again. */
  stopGraceMs: number;
  /** The longest attempt, and for how long one belongs to who makes it: at least twice as long. */
  timeoutMs: number;
  leaseMs: number;
};

export const DELIVER_LIMITS: DeliverLimits = {
  // More than are on the wire at any moment: the next go out while the database is asked for more. With 256 of them
  // and 10 for an endpoint 0.32 of a bare loop, with 512 and 16 0.38 (`npm run bench -- deliver`).
  inFlightMax: 512,
  perEndpointMax: 16,
  stopGraceMs: bounds.stopGraceMs,
  timeoutMs: TIMEOUT_MS,
  leaseMs: LEASE_MS,
};

const FINISHED_AT_ONCE = 256;
const WRITE_AGAIN_MS = 200;
const IDLE_MIN_MS = 50;
const IDLE_MAX_MS = 1_000;
/** Slots that become free are filled together: a claim for one costs as much as for fifty. */
const GATHER_MS = 10;
const GATHER_SHARE = 0.25;

export type Deliverer = {
  /** Takes what is due as far as there are free slots, and sends it; answers how many that are. */
  sendSome(): Promise<number>;
  /** Resolves when all that is under way has been written down. */
  settled(): Promise<void>;
  /** Resolves when a part of the slots is free, or soon after the first is. */
  roomAgain(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
};

export function createDeliverer(deps: DeliverDeps, given: Partial<DeliverLimits> = {}): Deliverer {
  const limits = { ...DELIVER_LIMITS, ...given };
  const token = newId();
  const limiter = createConcurrencyLimiter(limits);
  const underWay = new Set<Promise<void>>();
  const isolation = { db: deps.db, log: deps.log, heldOff: createHoldOff(HELD_OFF_MS) };
  const holding = new Set<Promise<void>>();
  let posting = 0;
  let freed = 0;
  let onFreed = () => {};
  /** Who is being written down is passed over: what the last claim did not find may be there once that is done. */
  let foundNothing = false;
  let isGivenUp = false;

  const finishing = createBatch<FinishedAttempt, boolean>({
    name: 'delivery-outcomes',
    run: async (items) => {
      const locked = new Set(await writeDown(isolation, items, limits.leaseMs / 4));
      return items.map((item) => locked.has(item));
    },
    itemsMax: FINISHED_AT_ONCE,
    waitingMax: 4 * limits.inFlightMax,
    waitMaxMs: limits.leaseMs,
    inFlightMax: 1,
  });

  const send = async (claimed: Claimed) => {
    posting += 1;
    limiter.begin(claimed);
    // Whatever happens, its slot is free afterwards.
    let ended: Pick<DeliveryOutcome, 'status' | 'durationMs'> = { status: null, durationMs: 0 };
    let outcome: DeliveryOutcome;
    try {
      outcome = await post(deps.poster, claimed, limits.timeoutMs);
      ended = outcome;
    } finally {
      posting -= 1;
      freed += 1;
      limiter.end(claimed.webhookId, ended);
      onFreed();
    }
    // Cut off by the stop: whether it was received is not known.
    if (isGivenUp) return;
    deps.metrics.deliveryAttempts.inc({ outcome: outcome.reason === null ? 'success' : 'failed' });
    const finishedAtMs = deps.clock.nowMs();
    const { speed: clockSpeed } = deps.clock;
    const finished = { claimed, outcome, finishedAtMs, clockSpeed, random: Math.random() };
    if (await finishing.add(finished))
      await writeDownLocked(isolation, finished, limits.leaseMs / 4);
  };
  /** Beside the sending, which does not wait for it; what it leaves is not sent, and held after its next turn. */
  const hold: Claim['hold'] = (key, options) => {
    const held = holdWhilePaused(deps.db, key, options)
      .catch((error) => deps.log.warn({ ...key, reason: String(error) }, 'deliveries not held yet'))
      .finally(() => holding.delete(held));
    holding.add(held);
  };
  /** More than as many again as may be under way: the database is behind. */
  const unwrittenBeyond = () => Math.max(0, underWay.size - posting - limits.inFlightMax);

  return {
    async sendSome() {
      // First of all: what was free before says nothing about what becomes free from now on.
      freed = 0;
      const room = limits.inFlightMax - posting - unwrittenBeyond();
      if (room <= 0) return 0;
      const now = deps.clock.nowMs();
      await deps.webhookMonths.ready(now);
      const claimed = await claimDeliveries(isolation, {
        ...{ now, realNow: realNowMs(), token, leaseMs: limits.leaseMs, limit: room },
        ...{ limiter, encryptionKeys: deps.encryptionKeys, hold },
      });
      foundNothing = claimed.length === 0;
      for (const one of claimed) {
        const sent = send(one)
          .catch((error) => {
            // Its lease runs out, and it is made again.
            deps.log.warn({ reason: String(error) }, 'the outcome of a delivery was not written');
          })
          .finally(() => {
            if (unwrittenBeyond() > 0 || foundNothing) {
              freed += 1;
              onFreed();
            }
            underWay.delete(sent);
          });
        underWay.add(sent);
      }
      return claimed.length;
    },
    async settled() {
      while (underWay.size + holding.size > 0) await Promise.all([...underWay, ...holding]);
    },
    roomAgain: (signal) =>
      new Promise((resolve) => {
        let gathering: NodeJS.Timeout | undefined;
        const done = () => {
          clearTimeout(gathering);
          onFreed = () => {};
          signal.removeEventListener('abort', done);
          resolve();
        };
        onFreed = () => {
          if (freed >= limits.inFlightMax * GATHER_SHARE) done();
          else gathering ??= setTimeout(done, GATHER_MS);
        };
        signal.addEventListener('abort', done, { once: true });
        if (signal.aborted) done();
        else if (freed > 0) onFreed();
      }),
    async stop() {
      const all = Promise.all(underWay).then(() => {});
      await Promise.race([all, sleepMs(limits.stopGraceMs)]);
      isGivenUp = posting > 0;
      await deps.poster.close();
      await Promise.all(underWay);
      await finishing.drain();
      await Promise.all(holding);
      const input = { now: deps.clock.nowMs(), realNow: realNowMs(), token };
      while ((await repeatLost(isolation, input)) > 0);
    },
  };
}

function post(
  poster: Poster,
  { target, body, deliveryId }: Claimed,
  timeoutMs: number,
): Promise<DeliveryOutcome> {
  const timestampSeconds = Math.floor(realNowMs() / 1000);
  const headers = signedHeaders({
    ...{ id: deliveryId, timestampSeconds, body, secrets: target.secrets },
  });
  return poster.postDelivery({ url: target.url, headers, body, timeoutMs });
}

/** Tried again while the leases last: once written, the same again changes nothing. */
async function writeDown(
  deps: DeliverIsolation,
  items: readonly FinishedAttempt[],
  waitMaxMs: number,
): Promise<FinishedAttempt[]> {
  for (let waitMs = WRITE_AGAIN_MS; ; waitMs *= 2) {
    try {
      return await finishAttempts(deps, items);
    } catch (error) {
      if (waitMs > waitMaxMs) throw error;
      deps.log.warn({ reason: String(error) }, 'outcomes of deliveries are written again');
      await sleepMs(waitMs);
    }
  }
}

/** By itself, so that nobody else's outcome waits for a row that somebody keeps locked. */
async function writeDownLocked(
  deps: DeliverIsolation,
  item: FinishedAttempt,
  waitMaxMs: number,
): Promise<void> {
  for (let waitMs = WRITE_AGAIN_MS; waitMs <= waitMaxMs; waitMs *= 2) {
    await sleepMs(waitMs);
    if ((await writeDown(deps, [item], waitMaxMs)).length === 0) return;
  }
  throw new Error('the registration is locked');
}

/** Sends what is due until it is stopped. `signal`: raised by whoever makes something due in this process. */
export function startDelivering(
  deps: DeliverDeps,
  { signal, ...limits }: Partial<DeliverLimits> & { signal: Signal },
): Loop {
  const deliverer = createDeliverer(deps, limits);
  const stopping = new AbortController();
  const rounds = async () => {
    let idleMs = IDLE_MIN_MS;
    while (!stopping.signal.aborted) {
      let sent = 0;
      try {
        sent = await deliverer.sendSome();
      } catch (error) {
        deps.log.warn({ loop: 'deliver what is due', reason: String(error) }, 'round failed');
      }
      idleMs = sent > 0 ? IDLE_MIN_MS : Math.min(idleMs * 2, IDLE_MAX_MS);
      // Slots that became free may be for somebody who waits; else there is nothing to do for a while.
      const rest = new AbortController();
      const ending = AbortSignal.any([rest.signal, stopping.signal]);
      await Promise.race([deliverer.roomAgain(ending), signal.wait(idleMs, ending)]);
      rest.abort();
    }
  };
  const ended = rounds();
  return {
    async stop() {
      stopping.abort();
      await ended;
      await deliverer.stop();
    },
  };
}
