// Taking what is due: a turn for each registration that waits, each with its share, and each attempt logged before it
// is made.
import type { Database, Transaction } from '../database/database.ts';
import { newId } from '../foundation/id.ts';
import { insertAttempts } from './attempts.ts';
import { leaseDeliveries, readWaiting, type Waiting } from './deliveries.ts';
import { readPayloads } from './events.ts';
import { claimTurns, setTurns, type WebhookKey } from './standings.ts';
import { readTargets, type Target } from './subscriptions.ts';

/** Twice the longest attempt (15 s), and time to write down what came of it. */
export const LEASE_MS = 60_000;

/** A delivery with an attempt that is about to be made. */
export type Claimed = Waiting & {
  attemptId: string;
  attemptAt: number;
  /** 1 for the first of the delivery. */
  attempt: number;
  target: Target;
  body: string;
};

export type Claim = {
  now: number;
  realNow: number;
  token: string;
  /** For how long nobody else makes the attempt; 60 s unless said. */
  leaseMs?: number;
  /** At most so many deliveries, shared by the registrations whose turn it is. */
  limit: number;
  /** How many more may go to a registration at the moment. */
  roomFor(webhookId: string): number;
  /** Registrations without room. */
  full: readonly string[];
  encryptionKeys: readonly Buffer[];
};

export async function claimDeliveries(db: Database, claim: Claim): Promise<Claimed[]> {
  return db.transaction(async (tx) => {
    const { now, limit, full } = claim;
    const keys = await claimTurns(tx, { now, limit, full });
    if (keys.length === 0) return [];
    const share = Math.ceil(limit / keys.length);
    const turns = keys.map((key) => ({
      ...key,
      room: Math.max(0, Math.min(share, claim.roomFor(key.webhookId))),
    }));
    // One more than there is room for: it says when the next turn is.
    const waiting = Map.groupBy(
      await readWaiting(
        tx,
        turns.map((turn) => ({ ...turn, room: turn.room + 1 })),
      ),
      ({ webhookId }) => webhookId,
    );
    const taken: Waiting[] = [];
    const next = turns.map(({ accountId, webhookId, room }) => {
      const own = waiting.get(webhookId) ?? [];
      const due = own.slice(0, room).filter(({ dueAt }) => dueAt <= now);
      taken.push(...due);
      return { accountId, webhookId, dueAt: own[due.length]?.dueAt ?? null };
    });
    await setTurns(tx, next, now);
    return taken.length === 0 ? [] : beginAttempts(tx, claim, { taken, keys });
  });
}

async function beginAttempts(
  tx: Transaction,
  claim: Claim,
  { taken, keys }: { taken: readonly Waiting[]; keys: readonly WebhookKey[] },
): Promise<Claimed[]> {
  const targets = await readTargets(tx, keys, claim);
  const ofEvents = taken.filter(({ payload }) => payload === null);
  const payloads = await readPayloads(tx, ofEvents);
  const claimed = taken.flatMap((delivery): Claimed[] => {
    const target = targets.get(delivery.webhookId);
    const body = delivery.payload ?? payloads.get(delivery.eventId);
    // Neither can be missing while the standing is locked and partitions are dropped only after their rescue.
    if (target === undefined || body === undefined) return [];
    const begun = { attemptId: newId(), attemptAt: claim.now, attempt: delivery.attempts + 1 };
    return [{ ...delivery, ...begun, target, body }];
  });
  if (claimed.length === 0) return [];
  await leaseDeliveries(tx, claimed, {
    ...{
      until: claim.realNow + (claim.leaseMs ?? LEASE_MS),
      token: claim.token,
      attemptAt: claim.now,
    },
  });
  await insertAttempts(
    tx,
    claimed.map((one) => ({
      ...one,
      ...{ at: one.attemptAt, endpoint: one.target.url },
      payloadBytes: Buffer.byteLength(one.body),
    })),
  );
  return claimed;
}
