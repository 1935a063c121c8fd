// Who a presented key belongs to, remembered for less than a second, so that a revoked key, a
// closed account or a changed limit is felt in every process within one.
import { isolate } from '../background/isolate.ts';
import type { Database } from '../database/database.ts';
import { withLockTimeout } from '../database/lock-timeout.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { type Account, readAccounts } from './accounts.ts';
import { findKeyOwners, findLiveKeys, type KeyOwner, touchApiKeys } from './api-keys.ts';
import { createGuardedLookUp, type From } from './guarded-look-up.ts';

/** The key is null for a person who is signed in. */
export type Caller = { keyId: string | null; account: Account };

export type Callers = {
  /** The caller behind a key, or null when the key is not (or no longer) one of ours. */
  identify(apiKey: string, from: From): Promise<Caller | null> | Caller | null;
  /** Asks anew, all together, for the keys that were used since the last time. */
  refreshUsed(): Promise<void>;
  /** Writes down when keys were last used. Called now and then, and at the end. */
  flushUses(log: Log): Promise<void>;
};

type Remembered = { caller: Caller; readMs: number; used: boolean };

export function createCallers(deps: { db: Database; clock: Clock }): Callers {
  // By the key itself, which the request brought into memory anyway: hashing it each time cost 7 %
  // of the paid path. What is not used is forgotten within seconds.
  const remembered = new Map<string, Remembered>();
  const uses = new Map<string, KeyOwner & { usedAtMs: number }>();

  const lookUp = createGuardedLookUp<Remembered>({
    name: 'key look-ups',
    prefix: 'ovs_',
    load: (hashes) => loadCallers(deps.db, hashes),
  });

  /**
   * Unknown keys are kept elsewhere: a flood of them must not push live ones out of this memory.
   */
  const remember = (apiKey: string, fresh: Remembered | null): Caller | null => {
    if (fresh === null) {
      remembered.delete(apiKey);
      return null;
    }
    if (remembered.size >= bounds.callersRememberedMax) remembered.clear();
    remembered.set(apiKey, fresh);
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
    identify(apiKey, from) {
      const known = remembered.get(apiKey);
      if (known !== undefined) {
        if (monotonicMs() - known.readMs < bounds.callerAgeMaxMs) {
          known.used = true;
          return noteUse(known.caller);
        }
        return lookUp.refresh(apiKey).then((fresh) => noteUse(remember(apiKey, fresh)));
      }
      return lookUp.find(apiKey, from).then((fresh) => noteUse(remember(apiKey, fresh)));
    },
    async refreshUsed() {
      const asked: Promise<unknown>[] = [];
      for (const [apiKey, known] of remembered) {
        if (known.used) asked.push(lookUp.refresh(apiKey).then((fresh) => remember(apiKey, fresh)));
        else if (monotonicMs() - known.readMs > bounds.callerAgeMaxMs) remembered.delete(apiKey);
      }
      await Promise.all(asked);
    },
    async flushUses(log) {
      const noted = [...uses.values()];
      uses.clear();
      try {
        await noteUses({ db: deps.db, log }, noted);
      } catch (error) {
        // Nobody's fault: they are noted the next time, unless the key was used again.
        for (const use of noted) if (!uses.has(use.keyId)) uses.set(use.keyId, use);
        throw error;
      }
    },
  };
}

/** A key whose row is locked or refuses is passed over: when it was last used is only shown. */
async function noteUses(
  { db, log }: { db: Database; log: Log },
  uses: readonly (KeyOwner & { usedAtMs: number })[],
): Promise<void> {
  const patient = withLockTimeout(db, USE_LOCK_WAIT_MS);
  await isolate(uses, {
    ...{ loop: 'note-key-uses', log, keyOf: ({ keyId }) => keyId },
    run: (batch) => patient.transaction((tx) => touchApiKeys(tx, batch)),
    setAside: async () => {},
  });
}

const USE_LOCK_WAIT_MS = 250;

/** From hash to key and account in the hash's lane, then their standing in the account's lane. */
async function loadCallers(
  db: Database,
  hashes: readonly Buffer[],
): Promise<(Remembered | null)[]> {
  const readMs = monotonicMs();
  const owners = await findKeyOwners(db, hashes);
  const found = [...owners.values()];
  const [accounts, live] = await Promise.all([
    readAccounts(db, [...new Set(found.map((owner) => owner.accountId))]),
    findLiveKeys(db, found),
  ]);
  return hashes.map((keyHash) => {
    const owner = owners.get(keyHash.toString('hex'));
    const account = owner && accounts.get(owner.accountId);
    if (owner === undefined || account === undefined || !live.has(owner.keyId)) return null;
    return { caller: { keyId: owner.keyId, account }, readMs, used: false };
  });
}
