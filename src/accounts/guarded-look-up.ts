// Looks up presented secrets in batches, so that invented ones with a valid checksum cost little.
// An address that presented many unknown secrets, or all addresses together, gets slow, shared
// look-ups; live secrets still pass.
import {
  type Batch,
  type BatchResult,
  type BatchSettings,
  createBatch,
  createGroupedBatch,
} from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { looksLikeSecret, type SecretPrefix, secretHash } from '../foundation/secret.ts';
import { createSingleFlight } from '../foundation/single-flight.ts';
import { hashLane } from './api-keys.ts';
import { createMissBudget } from './miss-budget.ts';
import { networkOf } from './sign-in-attempts.ts';

/**
 * Where a request comes from. The request itself fits this type, so its address is computed only
 * when needed.
 */
export type From = { readonly ip: string };

/** Misses looked up at once, per address and in total, and how fast the budget refills. */
const ADDRESS_MISSES = { savedMax: 20, perSecond: 5 };
const ALL_MISSES = { savedMax: 1_000, perSecond: 500 };
const ALL = '*';
/**
 * Gathered look-ups start this far apart: ten rounds a second, however many unknown secrets arrive.
 */
const GATHER_MS = 100;
const GATHERED_AT_ONCE = 2_048;
const GATHERED_WAITING_MAX = 8_192;
/**
 * A secret is random and shown only after it is stored, so an unknown one cannot become valid while
 * it is cached.
 */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 50_000;

export function createGuardedLookUp<Owner>(settings: {
  name: string;
  prefix: SecretPrefix;
  /** Of secrets whose hashes have lanes: `load` gets hashes of one lane group. */
  db?: Database;
  /** One result per hash, in order. */
  load(hashes: readonly Buffer[]): Promise<BatchResult<Owner | null>[]>;
}) {
  const { name, prefix, db, load } = settings;
  const newBatch = (batch: BatchSettings<Buffer, Owner | null>): Batch<Buffer, Owner | null> =>
    db === undefined ? createBatch(batch) : createGroupedBatch(db, { ...batch, laneOf: hashLane });
  const shared = { waitMaxMs: bounds.readWaitMaxMs, run: load };
  const direct = newBatch({
    ...shared,
    name,
    inFlightMax: 2,
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
  });
  let nextRoundMs = 0;
  const gathered = newBatch({
    ...shared,
    name: `${name}-gathered`,
    inFlightMax: 1,
    itemsMax: GATHERED_AT_ONCE,
    waitingMax: GATHERED_WAITING_MAX,
    async run(hashes) {
      await sleepMs(Math.max(0, nextRoundMs - monotonicMs()));
      nextRoundMs = monotonicMs() + GATHER_MS;
      return load(hashes);
    },
  });
  const byAddress = createMissBudget(ADDRESS_MISSES);
  const together = createMissBudget(ALL_MISSES);
  const unknown = boundedCache<string, true>(UNKNOWN_MAX, { ttlMs: UNKNOWN_MS });
  const lookUps = createSingleFlight<Owner | null>();

  const noteMiss = (secret: string, network: string) => {
    byAddress.spend(network);
    together.spend(ALL);
    unknown.set(secret, true);
  };

  return {
    /** The owner of the secret; null if the secret is unknown. */
    find(secret: string, from: From): Promise<Owner | null> {
      if (unknown.has(secret)) return Promise.resolve(null);
      if (!looksLikeSecret(prefix, secret)) return Promise.resolve(null);
      return lookUps.run(secret, async () => {
        const network = networkOf(from.ip);
        const isSuspect = byAddress.isSpent(network) || together.isSpent(ALL);
        if (isSuspect && gathered.waiting() >= GATHERED_WAITING_MAX) throw tooManyUnknown();
        const owner = await (isSuspect ? gathered : direct).add(secretHash(secret));
        if (owner === null) noteMiss(secret, network);
        return owner;
      });
    },
    /** The same for a secret that existed before; unknown secrets never delay it. */
    refresh: (secret: string): Promise<Owner | null> =>
      lookUps.run(secret, () => direct.add(secretHash(secret))),
  };
}

const tooManyUnknown = () =>
  new Problem('rate_limited', 'Too many requests with unknown keys. Try again in a second.', {
    details: { retry_after_ms: 1_000 },
  });
