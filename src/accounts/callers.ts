// Who a presented key belongs to, remembered for less than a second, so that a revoked key, a closed
// account or a changed limit is felt in every process within one.
import { createBatch } from '../database/batch.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, monotonicMs } from '../foundation/clock.ts';
import { looksLikeSecret, secretHash } from '../foundation/secret.ts';
import { type Account, readAccounts } from './accounts.ts';
import { findKeyOwners, findLiveKeys, type KeyOwner, touchApiKeys } from './api-keys.ts';

export type Caller = { keyId: string; account: Account };

export type Callers = {
  /** The caller behind a key, or null when the key is not (or no longer) one of ours. */
  identify(apiKey: string): Promise<Caller | null> | Caller | null;
  /** Asks anew, all together, for the keys that were used since the last time. */
  refreshUsed(): Promise<void>;
  /** Writes down when keys were last used. Called now and then, and at the end. */
  flushUses(): Promise<void>;
};

type Remembered = { caller: Caller | null; readMs: number; keyHash: Buffer; used: boolean };

export function createCallers(deps: { db: Database; clock: Clock }): Callers {
  // Keyed by the hash: the key itself is not kept in memory.
  const remembered = new Map<string, Remembered>();
  const uses = new Map<string, KeyOwner & { usedAt: number }>();

  const loads = createBatch<Buffer, Remembered>({
    name: 'key look-ups',
    run: (hashes) => loadCallers(deps.db, hashes),
    itemsMax: bounds.readsPerBatchMax,
    waitingMax: bounds.readsWaitingMax,
    waitMaxMs: bounds.readWaitMaxMs,
    inFlightMax: 2,
  });
  // One load for a key, however many requests wait for it.
  const loading = new Map<string, Promise<Remembered>>();

  const load = (keyHash: Buffer, hashText: string): Promise<Remembered> => {
    const underWay = loading.get(hashText);
    if (underWay !== undefined) return underWay;
    const started = loads.add(keyHash).then(
      (fresh) => {
        loading.delete(hashText);
        if (remembered.size >= bounds.callersRememberedMax) remembered.clear();
        remembered.set(hashText, fresh);
        return fresh;
      },
      (error) => {
        loading.delete(hashText);
        throw error;
      },
    );
    loading.set(hashText, started);
    return started;
  };

  const noteUse = (caller: Caller | null): Caller | null => {
    if (caller === null) return null;
    const usedAt = deps.clock.nowMs();
    const use = uses.get(caller.keyId);
    if (use !== undefined) use.usedAt = usedAt;
    else
      uses.set(caller.keyId, { accountId: caller.account.accountId, keyId: caller.keyId, usedAt });
    return caller;
  };

  return {
    identify(apiKey) {
      if (!looksLikeSecret('ovs_', apiKey)) return null;
      const keyHash = secretHash(apiKey);
      const hashText = keyHash.toString('latin1');
      const known = remembered.get(hashText);
      if (known !== undefined && monotonicMs() - known.readMs < bounds.callerAgeMaxMs) {
        known.used = true;
        return noteUse(known.caller);
      }
      return load(keyHash, hashText).then((fresh) => noteUse(fresh.caller));
    },
    async refreshUsed() {
      const used = [...remembered.values()].filter((known) => known.used);
      await Promise.all(used.map((known) => load(known.keyHash, known.keyHash.toString('latin1'))));
    },
    async flushUses() {
      const noted = [...uses.values()];
      uses.clear();
      await touchApiKeys(deps.db, noted);
    },
  };
}

/** From hash to key and account in the hash's lane, then their standing in the account's lane. */
async function loadCallers(db: Database, hashes: readonly Buffer[]): Promise<Remembered[]> {
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
    const usable = owner !== undefined && account !== undefined && live.has(owner.keyId);
    const caller = usable ? { keyId: owner.keyId, account } : null;
    return { caller, readMs, keyHash, used: false };
  });
}
