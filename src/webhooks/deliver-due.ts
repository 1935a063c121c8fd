// Sends due deliveries: as many concurrent requests as there are slots, of which each webhook gets
// only some, so that a slow endpoint delays no other. Outcomes are saved in batches.
import { createHoldOff } from '../background/hold-off.ts';
import type { Loop, LoopDeps } from '../background/periodic.ts';
import type { Signal } from '../background/signal.ts';
import { type Batch, createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { createMarkerMemory } from '../database/markers.ts';
import type { PartitionKeeper } from '../database/partitions.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, realNowMs, sleepMs } from '../foundation/clock.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { type Claimed, claimDeliveries, LEASE_MS } from './claim-deliveries.ts';
import { type ConcurrencyLimiter, createConcurrencyLimiter } from './concurrency-limiter.ts';
import type { WebhookKey } from './delivery-row.ts';
import {
  type FinishedAttempt,
  finishAttempts,
  HOLD_OFF_MS,
  retryAbandoned,
} from './finish-attempts.ts';
import { type DeliveryOutcome, type Poster, TIMEOUT_MS } from './post.ts';
import { DELIVER, type DeliverIsolation } from './quarantine-delivery.ts';
import { signedHeaders } from './signature.ts';
import { holdWhilePaused } from './subscriptions.ts';

export type DeliverDeps = Pick<LoopDeps, 'loopHealth'> & {
  db: Database;
  clock: Clock;
  log: Log;
  metrics: Pick<Metrics, 'deliveryAttempts'>;
  /** Partitions of events, deliveries and attempts. */
  webhookMonths: PartitionKeeper;
  encryptionKeys: readonly Buffer[];
  poster: Poster;
};

export type DeliverLimits = {
  /** Concurrent requests in all, and to one webhook. */
  inFlightMax: number;
  perEndpointMax: number;
  /** How long open requests may take after a stop; the others are aborted and made again. */
  stopGraceMs: number;
  /** The longest attempt, and the lease of an attempt: at least twice as long. */
  timeoutMs: number;
  leaseMs: number;
};

export const DELIVER_LIMITS: DeliverLimits = {
  // More than are on the wire at any moment, so that requests go out while a claim runs. With 256,
  // and 10 for an endpoint: 0.32 of a bare loop; with 512 and 16: 0.38 (`npm run bench --
  // deliver`).
  inFlightMax: 512,
  perEndpointMax: 16,
  stopGraceMs: bounds.stopGraceMs,
  timeoutMs: TIMEOUT_MS,
  leaseMs: LEASE_MS,
};

const FINISHED_AT_ONCE = 256;
const SAVE_RETRY_MS = 200;
const IDLE_MIN_MS = 50;
const IDLE_MAX_MS = 1_000;
/** Free slots are filled together: a claim for one costs as much as for fifty. */
const GATHER_MS = 10;
const GATHER_SHARE = 0.25;

/** Claims due deliveries and sends them, in as many concurrent requests as there are slots. */
export class Deliverer {
  readonly #deps: DeliverDeps;
  readonly #limits: DeliverLimits;
  readonly #limiter: ConcurrencyLimiter;
  readonly #isolation: DeliverIsolation;
  readonly #finishing: Batch<FinishedAttempt, boolean>;
  readonly #leaseToken = newId();
  readonly #markers = createMarkerMemory();
  /** Deliveries from their claim until their outcome is saved. */
  readonly #inFlight = new Set<Promise<void>>();
  readonly #holding = new Set<Promise<void>>();
  /** Requests without a response yet. */
  #posting = 0;
  /** Slots freed since the last claim. */
  #freed = 0;
  #onFreed = () => {};
  /** Claims skip webhooks whose outcomes are being saved; they may have more once that is done. */
  #claimedNothing = false;
  #isStopping = false;

  constructor(deps: DeliverDeps, overrides: Partial<DeliverLimits> = {}) {
    const limits = { ...DELIVER_LIMITS, ...overrides };
    const isolation = { db: deps.db, log: deps.log, heldOff: createHoldOff(HOLD_OFF_MS) };
    this.#deps = deps;
    this.#limits = limits;
    this.#limiter = createConcurrencyLimiter(limits);
    this.#isolation = isolation;
    this.#finishing = createGroupedBatch<FinishedAttempt, boolean>(deps.db, {
      name: 'delivery-outcomes',
      keyOf: ({ claimed }) => claimed.accountId,
      run: async (items) => {
        const locked = new Set(await saveOutcomes(isolation, items, limits.leaseMs / 4));
        return items.map((item) => locked.has(item));
      },
      itemsMax: FINISHED_AT_ONCE,
      waitingMax: 4 * limits.inFlightMax,
      waitMaxMs: limits.leaseMs,
      inFlightMax: 1,
    });
  }

  /** Claims due deliveries for the free slots and sends them; returns how many. */
  async sendSome(): Promise<number> {
    // Reset first: slots that were free before do not count as freed from now on.
    this.#freed = 0;
    const room = this.#limits.inFlightMax - this.#posting - this.#unsavedExcess();
    if (room <= 0) return 0;
    const now = this.#deps.clock.nowMs();
    await this.#deps.webhookMonths.ready(now);
    const claimed = await claimDeliveries(this.#isolation, {
      now,
      realNow: realNowMs(),
      token: this.#leaseToken,
      leaseMs: this.#limits.leaseMs,
      limit: room,
      limiter: this.#limiter,
      encryptionKeys: this.#deps.encryptionKeys,
      markers: this.#markers,
      begin: (one) => this.#start(one),
      hold: (key, options) => this.#hold(key, options),
    });
    this.#claimedNothing = claimed.length === 0;
    return claimed.length;
  }

  /** Resolves when every outcome in flight has been saved. */
  async settled(): Promise<void> {
    while (this.#inFlight.size + this.#holding.size > 0) {
      await Promise.all([...this.#inFlight, ...this.#holding]);
    }
  }

  /** Resolves when a share of the slots is free, or soon after the first is. */
  slotsFree(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      let gathering: NodeJS.Timeout | undefined;
      const done = () => {
        clearTimeout(gathering);
        this.#onFreed = () => {};
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#onFreed = () => {
        if (this.#freed >= this.#limits.inFlightMax * GATHER_SHARE) done();
        else gathering ??= setTimeout(done, GATHER_MS);
      };
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
      else if (this.#freed > 0) this.#onFreed();
    });
  }

  async stop(): Promise<void> {
    const all = Promise.all(this.#inFlight).then(() => {});
    await Promise.race([all, sleepMs(this.#limits.stopGraceMs)]);
    this.#isStopping = this.#posting > 0;
    await this.#deps.poster.close();
    await Promise.all(this.#inFlight);
    await this.#finishing.drain();
    await Promise.all(this.#holding);
    const now = this.#deps.clock.nowMs();
    const input = { now, realNow: realNowMs(), token: this.#leaseToken };
    while ((await retryAbandoned(this.#isolation, input)) > 0);
  }

  #start(claimed: Claimed): void {
    const sent = this.#send(claimed)
      .catch((error) => {
        // Its lease expires, and the attempt is made again.
        this.#deps.log.warn({ reason: String(error) }, 'delivery outcome not saved');
      })
      .finally(() => {
        if (this.#unsavedExcess() > 0 || this.#claimedNothing) {
          this.#freed += 1;
          this.#onFreed();
        }
        this.#inFlight.delete(sent);
      });
    this.#inFlight.add(sent);
  }

  async #send(claimed: Claimed): Promise<void> {
    this.#posting += 1;
    this.#limiter.begin(claimed);
    // Whatever happens, the slot is freed.
    let ended: Pick<DeliveryOutcome, 'status' | 'durationMs'> = { status: null, durationMs: 0 };
    let outcome: DeliveryOutcome;
    try {
      outcome = await post(this.#deps.poster, claimed, this.#limits.timeoutMs);
      ended = outcome;
    } finally {
      this.#posting -= 1;
      this.#freed += 1;
      this.#limiter.end(claimed.webhookId, ended);
      this.#onFreed();
    }
    // Aborted by the stop: whether it was received is unknown.
    if (this.#isStopping) return;
    const { clock, metrics } = this.#deps;
    metrics.deliveryAttempts.inc({ outcome: outcome.reason === null ? 'success' : 'failed' });
    const finished: FinishedAttempt = {
      claimed,
      outcome,
      finishedAtMs: clock.nowMs(),
      clockSpeed: clock.speed,
      random: Math.random(),
    };
    const isLocked = await this.#finishing.add(finished);
    if (isLocked) await saveWhenUnlocked(this.#isolation, finished, this.#limits.leaseMs / 4);
  }

  /**
   * Runs beside the sending. What it does not reach is not sent either, and held at the next claim.
   */
  #hold(key: WebhookKey, options: { exceptManual: boolean }): void {
    const { db, log } = this.#deps;
    const held = holdWhilePaused(db, key, options)
      .catch((error) => log.warn({ ...key, reason: String(error) }, 'deliveries not held yet'))
      .finally(() => this.#holding.delete(held));
    this.#holding.add(held);
  }

  /** Unsaved outcomes beyond `inFlightMax`: the database is behind. */
  #unsavedExcess(): number {
    return Math.max(0, this.#inFlight.size - this.#posting - this.#limits.inFlightMax);
  }
}

function post(
  poster: Poster,
  { target, body, deliveryId }: Claimed,
  timeoutMs: number,
): Promise<DeliveryOutcome> {
  const timestampSeconds = Math.floor(realNowMs() / SECOND_MS);
  const headers = signedHeaders({
    id: deliveryId,
    timestampSeconds,
    body,
    secrets: target.secrets,
  });
  const { url, acceptsAny2xx } = target;
  return poster.postDelivery({ url, headers, body, timeoutMs, acceptsAny2xx });
}

/** Retries while the leases last. Saving the same outcomes twice changes nothing. */
async function saveOutcomes(
  deps: DeliverIsolation,
  items: readonly FinishedAttempt[],
  waitMaxMs: number,
): Promise<FinishedAttempt[]> {
  for (let waitMs = SAVE_RETRY_MS; ; waitMs *= 2) {
    try {
      return await finishAttempts(deps, items);
    } catch (error) {
      if (waitMs > waitMaxMs) throw error;
      deps.log.warn({ reason: String(error) }, 'saving delivery outcomes again');
      await sleepMs(waitMs);
    }
  }
}

/** Saved on its own, so that no other outcome waits for the locked row. */
async function saveWhenUnlocked(
  deps: DeliverIsolation,
  item: FinishedAttempt,
  waitMaxMs: number,
): Promise<void> {
  for (let waitMs = SAVE_RETRY_MS; waitMs <= waitMaxMs; waitMs *= 2) {
    await sleepMs(waitMs);
    if ((await saveOutcomes(deps, [item], waitMaxMs)).length === 0) return;
  }
  throw new Error('the webhook is locked');
}

/**
 * Sends due deliveries until stopped. `signal` is raised when a delivery becomes due in this
 * process.
 */
export function startDelivering(
  deps: DeliverDeps,
  { signal, ...limits }: Partial<DeliverLimits> & { signal: Signal },
): Loop {
  const deliverer = new Deliverer(deps, limits);
  const stopping = new AbortController();
  const rounds = async () => {
    let idleMs = IDLE_MIN_MS;
    while (!stopping.signal.aborted) {
      let sent = 0;
      try {
        sent = await deliverer.sendSome();
        deps.loopHealth?.succeeded(DELIVER);
      } catch (error) {
        deps.log.warn({ loop: DELIVER, reason: String(error) }, 'round failed');
        deps.loopHealth?.failed(DELIVER, error);
      }
      idleMs = sent > 0 ? IDLE_MIN_MS : Math.min(idleMs * 2, IDLE_MAX_MS);
      // Freed slots may serve waiting deliveries; otherwise there is nothing to do for a while.
      const rest = new AbortController();
      const ending = AbortSignal.any([rest.signal, stopping.signal]);
      await Promise.race([deliverer.slotsFree(ending), signal.wait(idleMs, ending)]);
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
