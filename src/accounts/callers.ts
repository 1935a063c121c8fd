// The account behind a presented API key. Cached for less than a second, so that a revoked key, a
// closed account or a changed limit takes effect in every process within one second.
import { isolate } from '../background/isolate.ts';
import { type BatchResult, createGroupedBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { inGroups } from '../database/lane-groups.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { type Account, readAccounts } from './accounts.ts';
import { findKeyOwners, findLiveKeys, type KeyOwner, touchApiKeys } from './api-keys.ts';
import { createGuardedLookUp, type From } from './guarded-look-up.ts';

/** `keyId` is null for a person who is signed in. */
export type Caller = { keyId: string | null; account: Account };

export type Callers = ReturnType<typeof createCallers>;

type CachedCaller = { caller: Caller; readAtMs: number; used: boolean };

export function createCallers(deps: { db: Database; clock: Clock }) {
  // By the key itself, which the request brought into memory anyway: hashing it each time cost 7 %
  // of the paid path. Unused keys are dropped within seconds.
  const cache = boundedCache<string, CachedCaller>(bounds.callersRememberedMax);
  const uses = new Map<string, KeyOwner & { usedAtMs: number }>();

  // A second batch: the lane of a key's hash says nothing about that of its account.
  const states = createGroupedBatch<KeyOwner, CachedCaller | null>(deps.db, {
    name: 'caller-states',
    keyOf: ({ accountId }) => accountId,
    run: (owners) => loadCallers(deps.db, owners),
    inFlightMax: 2,
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
  });
  const lookUp = createGuardedLookUp<CachedCaller>({
    name: 'key-look-ups',
    prefix: 'ovs_',
    db: deps.db,
    async load(hashes): Promise<BatchResult<CachedCaller | null>[]> {
      const owners = await findKeyOwners(deps.db, hashes);
      return hashes.map((keyHash) => {
        const owner = owners.get(keyHash.toString('hex'));
        return owner === undefined ? null : states.add(owner);
      });
    },
  });

  /** Unknown keys are cached elsewhere: a flood of them must not evict live keys. */
  const remember = (apiKey: string, fresh: CachedCaller | null): Caller | null => {
    if (fresh === null) {
      cache.delete(apiKey);
      return null;
    }
    cache.set(apiKey, fresh);
    return fresh.caller;
  };

  const noteUse = (caller: Caller | null): Caller | null => {
    if (caller === null || caller.keyId === null) return caller;
    const usedAtMs = deps.clock.nowMs();
    const use = uses.get(caller.keyId);
    if (use !== undefined) use.usedAtMs = usedAtMs;
    else
      uses.set(caller.keyId, {
        accountId: caller.account.accountId,
        keyId: caller.keyId,
        usedAtMs,
      });
    return caller;
  };

  return {
    /** The caller behind a key; null if the key does not exist or is revoked. */
    identify(apiKey: string, from: From): Promise<Caller | null> | Caller | null {
      const cached = cache.get(apiKey);
      if (cached !== undefined) {
        if (monotonicMs() - cached.readAtMs < bounds.callerAgeMaxMs) {
          cached.used = true;
          return noteUse(cached.caller);
        }
        return lookUp.refresh(apiKey).then((fresh) => noteUse(remember(apiKey, fresh)));
      }
      return lookUp.find(apiKey, from).then((fresh) => noteUse(remember(apiKey, fresh)));
    },
    /** Reads again, in one batch, the keys that were used since the last call. */
    async refreshUsed(): Promise<void> {
      const refreshes: Promise<unknown>[] = [];
      for (const [apiKey, cached] of [...cache]) {
        if (cached.used) {
          refreshes.push(lookUp.refresh(apiKey).then((fresh) => remember(apiKey, fresh)));
        } else if (monotonicMs() - cached.readAtMs > bounds.callerAgeMaxMs) cache.delete(apiKey);
      }
      await Promise.all(refreshes);
    },
    /** Writes when keys were last used. Called periodically and at the end. */
    async flushUses(log: Log): Promise<void> {
      const noted = [...uses.values()];
      uses.clear();
      try {
        await noteUses({ db: deps.db, log }, noted);
      } catch (error) {
        // Keep them for the next flush, unless the key was used again.
        for (const use of noted) if (!uses.has(use.keyId)) uses.set(use.keyId, use);
        throw error;
      }
    },
  };
}

/** Skips a key whose row is locked or fails: the time of last use is only displayed. */
async function noteUses(
  { db, log }: { db: Database; log: Log },
  uses: readonly (KeyOwner & { usedAtMs: number })[],
): Promise<void> {
  const shortWaiting = withLockTimeout(db, USE_LOCK_WAIT_MS);
  await inGroups(db, uses, {
    keyOf: ({ accountId }) => accountId,
    work: (part) =>
      isolate(part, {
        loop: 'note-key-uses',
        log,
        keyOf: ({ keyId }) => keyId,
        run: (batch) => shortWaiting.transaction((tx) => touchApiKeys(tx, batch)),
        setAside: async () => {},
      }),
  });
}

const USE_LOCK_WAIT_MS = 250;

/** The accounts are in one lane group. */
async function loadCallers(
  db: Database,
  owners: readonly KeyOwner[],
): Promise<(CachedCaller | null)[]> {
  const readAtMs = monotonicMs();
  const [accounts, live] = await Promise.all([
    readAccounts(db, [...new Set(owners.map(({ accountId }) => accountId))]),
    findLiveKeys(db, owners),
  ]);
  return owners.map(({ accountId, keyId }) => {
    const account = accounts.get(accountId);
    if (account === undefined || !live.has(keyId)) return null;
    return { caller: { keyId, account }, readAtMs, used: false };
  });
}
