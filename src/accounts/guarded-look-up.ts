// Looks up presented secrets in the database, gathered, so that invented ones with a valid checksum cost little: an
// address (or all together) that presented many unknown ones gets slow, shared look-ups, but live secrets still pass.
import { createBatch } from '../database/batch.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs, sleepMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { looksLikeSecret, type SecretPrefix, secretHash } from '../foundation/secret.ts';
import { createMissBudget } from './miss-budget.ts';
import { placeOf } from './sign-in-attempts.ts';

/** Where a request comes from. The request itself fits, so that its address is worked out only when needed. */
export type From = { readonly ip: string };

export type GuardedLookUp<Found> = {
  /** What belongs to the secret; null when it is unknown. */
  find(secret: string, from: From): Promise<Found | null>;
  /** The same for a secret that was known before: never held up by unknown ones. */
  refresh(secret: string): Promise<Found | null>;
};

/** Of one address, and of all together: misses that are looked up at once, and how fast the budget comes back. */
const ADDRESS_MISSES = { savedMax: 20, perSecond: 5 };
const ALL_MISSES = { savedMax: 1_000, perSecond: 500 };
const ALL = '*';
/** Gathered look-ups start this far apart: ten rounds a second, however many unknown secrets arrive. */
const GATHER_MS = 100;
const GATHERED_AT_ONCE = 2_048;
const GATHERED_WAITING_MAX = 8_192;
/** A secret is random and shown only once it is stored: an unknown one does not become known while it is remembered. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 50_000;

export function createGuardedLookUp<Found>(settings: {
  name: string;
  prefix: SecretPrefix;
  /** One result for each hash, in order. */
  load(hashes: readonly Buffer[]): Promise<(Found | null)[]>;
}): GuardedLookUp<Found> {
  const { name, prefix, load } = settings;
  const shared = { waitMaxMs: bounds.readWaitMaxMs, run: load };
  const direct = createBatch<Buffer, Found | null>({
    ...{ ...shared, name, inFlightMax: 2 },
    ...{ itemsMax: bounds.readsPerBatchMax, waitingMax: bounds.readsWaitingMax },
  });
  let nextRoundMs = 0;
  const gathered = createBatch<Buffer, Found | null>({
    ...{ ...shared, name: `${name}, gathered`, inFlightMax: 1 },
    ...{ itemsMax: GATHERED_AT_ONCE, waitingMax: GATHERED_WAITING_MAX },
    async run(hashes) {
      await sleepMs(Math.max(0, nextRoundMs - monotonicMs()));
      nextRoundMs = monotonicMs() + GATHER_MS;
      return load(hashes);
    },
  });
  const byAddress = createMissBudget(ADDRESS_MISSES);
  const together = createMissBudget(ALL_MISSES);
  const unknown = new Map<string, number>();
  // One look-up for a secret, however many requests wait for it.
  const underWay = new Map<string, Promise<Found | null>>();

  const once = (secret: string, start: () => Promise<Found | null>): Promise<Found | null> => {
    const started = underWay.get(secret);
    if (started !== undefined) return started;
    const begun = start().finally(() => underWay.delete(secret));
    underWay.set(secret, begun);
    return begun;
  };

  const noteMiss = (secret: string, place: string) => {
    byAddress.spend(place);
    together.spend(ALL);
    if (unknown.size >= UNKNOWN_MAX) unknown.delete(unknown.keys().next().value as string);
    unknown.set(secret, monotonicMs() + UNKNOWN_MS);
  };

  return {
    find(secret, from) {
      const untilMs = unknown.get(secret);
      if (untilMs !== undefined) {
        if (monotonicMs() < untilMs) return Promise.resolve(null);
        unknown.delete(secret);
      }
      if (!looksLikeSecret(prefix, secret)) return Promise.resolve(null);
      return once(secret, async () => {
        const place = placeOf(from.ip);
        const isSuspect = byAddress.isSpent(place) || together.isSpent(ALL);
        if (isSuspect && gathered.waiting() >= GATHERED_WAITING_MAX) throw tooManyUnknown();
        const found = await (isSuspect ? gathered : direct).add(secretHash(secret));
        if (found === null) noteMiss(secret, place);
        return found;
      });
    },
    refresh: (secret) => once(secret, () => direct.add(secretHash(secret))),
  };
}

const tooManyUnknown = () =>
  new Problem('rate_limited', 'Too many requests with unknown keys. Try again in a second.', {
    details: { retry_after_ms: 1_000 },
  });
