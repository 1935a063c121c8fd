// Claims due deliveries: every due webhook gets its share of the free slots, and each attempt is
// logged before its request goes out.
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { type GroupTurn, inEachGroup, rotationOf } from '../database/lane-groups.ts';
import type { MarkerMemory } from '../database/markers.ts';
import { readPayloads } from '../events/events.ts';
import { newId } from '../foundation/id.ts';
import { applySchedules, earliest } from './apply-schedules.ts';
import { insertAttempts, markedAttempt } from './attempts.ts';
import type { ConcurrencyLimiter, EndpointReliability } from './concurrency-limiter.ts';
import { leaseDeliveries, readPending } from './deliveries.ts';
import type { PendingDelivery } from './delivery-row.ts';
import {
  claimDueWebhooks,
  claimListedWebhooks,
  type DueWebhook,
  readDueWebhooks,
  setNextDue,
  type WebhookKey,
} from './health-records.ts';
import { pauseUnreadable, withoutClosed } from './hold-webhooks.ts';
import {
  DELIVER,
  type DeliverIsolation,
  quarantineDelivery,
  quarantineWebhook,
} from './quarantine-delivery.ts';
import { shareOfGroup, shareOfWebhook } from './slot-shares.ts';
import type { Target } from './subscription-row.ts';
import { readTargets } from './subscriptions.ts';

/** Twice the longest attempt (15 s), plus time to save the outcome. */
export const LEASE_MS = 60_000;

/** A delivery with the attempt that is about to be made. */
export type Claimed = PendingDelivery & {
  attemptId: string;
  attemptAtMs: number;
  /** 1 for the first of the delivery. */
  attempt: number;
  reliability: EndpointReliability;
  target: Target;
  body: string;
};

export type Claim = {
  now: number;
  realNow: number;
  token: string;
  /** How long no other process makes the attempt; 60 s by default. */
  leaseMs?: number;
  /** Most deliveries to claim. */
  limit: number;
  /** Divides them between accounts and their webhooks. */
  limiter: Pick<ConcurrencyLimiter, 'claimFilter' | 'roomFor' | 'allot'>;
  encryptionKeys: readonly Buffer[];
  /** Markers among the attempts of this process. */
  markers?: MarkerMemory;
  /** Called for each as soon as it is committed: the next lane group gets the slots left. */
  begin?(claimed: Claimed): void;
  /** Called for paused webhooks. Some of many deliveries may not be held yet. */
  hold?(key: WebhookKey, options: { exceptManual: boolean }): void;
};

type ClaimResult = {
  claimed: Claimed[];
  paused: readonly WebhookKey[];
  unreadable: readonly WebhookKey[];
  /** Deliveries without a payload: they can never be sent. */
  withoutBody: readonly PendingDelivery[];
};

const PAYLOAD_MISSING = 'its event no longer exists';

/**
 * Claims from one lane group after the other, in a transaction each. Slots are divided by the
 * number of accounts that are due in each group: an account that is alone in its group would
 * otherwise take two thirds of them before accounts of other groups have a turn.
 */
export async function claimDeliveries(deps: DeliverIsolation, claim: Claim): Promise<Claimed[]> {
  const dueAccounts = await countDueAccounts(deps, claim);
  let accountsLeft = [...dueAccounts.values()].reduce((sum, { count }) => sum + count, 0);
  return rotationOf(deps.db, DELIVER)(claim.limit, async ({ lanes, limit }) => {
    const due = dueAccounts.get(lanes);
    if (due === undefined) return [];
    if (due.failure !== undefined) throw due.failure;
    if (due.count === 0) return [];
    const share = shareOfGroup({ limit, accounts: due.count, accountsLeft });
    accountsLeft -= due.count;
    const claimed = await claimInGroup(deps, claim, { lanes, limit: share });
    for (const one of claimed) claim.begin?.(one);
    return claimed;
  });
}

type DueAccounts = { count: number; failure?: unknown };

/** By the lanes of each group. One group gets all slots, so nothing is read. */
async function countDueAccounts(
  deps: DeliverIsolation,
  claim: Claim,
): Promise<Map<GroupTurn['lanes'], DueAccounts>> {
  const { db } = deps;
  const counts = await inEachGroup(db, async (lanes): Promise<[typeof lanes, DueAccounts]> => {
    if (db.groups.count() === 1) return [lanes, { count: 1 }];
    try {
      const due = await readDueWebhooks(db, dueInput(deps, claim, { lanes, limit: claim.limit }));
      return [lanes, { count: new Set(due.map(({ accountId }) => accountId)).size }];
    } catch (failure) {
      return [lanes, { count: 0, failure }];
    }
  });
  return new Map(counts);
}

/** Which due webhooks a claim considers. */
function dueInput(deps: DeliverIsolation, { now, limiter }: Claim, { lanes, limit }: GroupTurn) {
  const filter = limiter.claimFilter();
  const fullWebhooks = filter.fullWebhooks.concat(deps.heldOff?.keys() ?? []);
  return { lanes, now, limit, filter: { ...filter, fullWebhooks } };
}

/** Deliveries that cannot be claimed are quarantined; the others are claimed in the same round. */
async function claimInGroup(
  deps: DeliverIsolation,
  claim: Claim,
  turn: GroupTurn,
): Promise<Claimed[]> {
  const round: Round = {
    deps,
    claim,
    left: turn.limit,
    except: deps.heldOff?.keys() ?? [],
    input: dueInput(deps, claim, turn),
  };
  try {
    return await claimInTransaction(round, (tx) => claimDueWebhooks(tx, round.input));
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    return claimInParts(round);
  }
}

type Round = {
  deps: DeliverIsolation;
  claim: Claim;
  /** Free slots that are left. */
  left: number;
  /** Ids of deliveries to skip. */
  except: readonly string[];
  input: Parameters<typeof readDueWebhooks>[1];
};

/**
 * Claims from the webhooks that `lock` returns, in one transaction; with `only`, these deliveries.
 */
async function claimInTransaction(
  round: Round,
  lock: (tx: Transaction) => Promise<DueWebhook[]>,
  only?: ReadonlySet<string>,
): Promise<Claimed[]> {
  const { deps, left: limit, except } = round;
  const claim = { ...round.claim, limit };
  const result = await deps.db.transaction(async (tx) => {
    const webhooks = await withoutClosed(tx, await lock(tx), claim.now);
    return claimFromWebhooks(tx, claim, { webhooks, except, only });
  });
  const { claimed, paused, unreadable, withoutBody } = result;
  claim.markers?.add(claimed.map((one) => markedAttempt({ ...one, atMs: one.attemptAtMs })));
  round.left -= claimed.length;
  for (const key of withoutBody) {
    await quarantineDelivery(deps, { key, reason: PAYLOAD_MISSING, atMs: claim.now });
  }
  for (const key of paused) claim.hold?.(key, { exceptManual: true });
  for (const key of unreadable) claim.hold?.(key, { exceptManual: false });
  return claimed;
}

/** After a full claim has failed: bisects until the webhook or delivery at fault is isolated. */
async function claimInParts(round: Round): Promise<Claimed[]> {
  const { deps, claim, input } = round;
  const fromFailing: Claimed[] = [];
  const { results, left } = await isolate(await readDueWebhooks(deps.db, input), {
    loop: DELIVER,
    log: deps.log,
    keyOf: ({ webhookId }) => webhookId,
    run: (batch) => claimInTransaction(round, (tx) => claimListedWebhooks(tx, batch, claim.now)),
    setAside: async (webhook, reason) => {
      fromFailing.push(...(await claimOneWebhook(round, webhook, reason)));
      return 'opened';
    },
  });
  deps.heldOff?.add(left.map(({ webhookId }) => webhookId));
  return [...results.flat(), ...fromFailing];
}

/**
 * Isolates the failing delivery of a webhook, or quarantines the webhook if it fails without any.
 */
async function claimOneWebhook(
  round: Round,
  webhook: DueWebhook,
  reason: string,
): Promise<Claimed[]> {
  const { deps, claim } = round;
  const lock = (tx: Transaction) => claimListedWebhooks(tx, [webhook], claim.now);
  try {
    await claimInTransaction(round, lock, new Set());
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    await quarantineWebhook(deps, { key: webhook, reason, atMs: claim.now });
    return [];
  }
  const room = Math.min(round.left, claim.limiter.roomFor(webhook));
  const dueWithRoom = {
    ...webhook,
    room: Math.max(0, room),
    isPaused: webhook.status === 'Paused',
  };
  const waiting = await readPending(deps.db, [dueWithRoom], round.except);
  const { results } = await isolate(waiting, {
    loop: DELIVER,
    log: deps.log,
    keyOf: ({ deliveryId }) => deliveryId,
    run: (batch) =>
      claimInTransaction(round, lock, new Set(batch.map(({ deliveryId }) => deliveryId))),
    setAside: (key, why) => quarantineDelivery(deps, { key, reason: why, atMs: claim.now }),
  });
  return results.flat();
}

type Selection = {
  webhooks: readonly DueWebhook[];
  except: readonly string[];
  only?: ReadonlySet<string> | undefined;
};

/** The webhooks' health rows are locked. */
async function claimFromWebhooks(
  tx: Transaction,
  claim: Claim,
  { webhooks, except, only }: Selection,
): Promise<ClaimResult> {
  if (webhooks.length === 0) return { claimed: [], paused: [], unreadable: [], withoutBody: [] };
  const { now, limit, limiter } = claim;
  const share = shareOfWebhook(webhooks, limit);
  // Fixed before anything is read: responses that arrive meanwhile free slots, and a webhook that
  // is granted everything that was read would be taken for one with nothing left.
  const rooms = new Map(
    webhooks.map((webhook) => [
      webhook.webhookId,
      Math.min(share(webhook), Math.max(0, limiter.roomFor(webhook))),
    ]),
  );
  const roomOf = ({ webhookId }: WebhookKey) => rooms.get(webhookId) ?? 0;
  const { quietUntil, digestsEnd } = await applySchedules(tx, webhooks, now);
  // Reads one more than there is room for: it is when the webhook is due next.
  const waiting = Map.groupBy(
    await readPending(
      tx,
      webhooks.map((webhook) => ({
        ...webhook,
        room: roomOf(webhook) + 1,
        // What was sent by hand goes out in quiet hours, too.
        isPaused: webhook.status === 'Paused' || quietUntil.has(webhook.webhookId),
      })),
      except,
    ),
    ({ webhookId }) => webhookId,
  );
  const dueOf = ({ webhookId }: WebhookKey) =>
    (waiting.get(webhookId) ?? []).filter(
      ({ dueAtMs, deliveryId }) => dueAtMs <= now && (only?.has(deliveryId) ?? true),
    );
  const targets = await readTargets(
    tx,
    webhooks.filter((webhook) => dueOf(webhook).length > 0),
    claim,
  );
  const unreadable = webhooks.filter(({ webhookId }) => targets.get(webhookId) === null);
  const readable = webhooks.filter(({ webhookId }) => targets.get(webhookId) !== null);
  const granted = limiter.allot(
    readable.map((webhook) => ({
      ...webhook,
      slotsNeeded: Math.min(roomOf(webhook), dueOf(webhook).length),
    })),
    limit,
  );
  const due = readable.flatMap((webhook) =>
    dueOf(webhook)
      .slice(0, granted.get(webhook.webhookId) ?? 0)
      .map((delivery) => ({ delivery, webhook })),
  );
  // A webhook without a grant also goes to the end of the order, so that those behind it come
  // first.
  const next = readable.map((webhook) => {
    const count = granted.get(webhook.webhookId) ?? 0;
    // Only some deliveries were considered: the next claim sees the rest.
    if (only !== undefined) return { ...webhook, dueAtMs: now };
    const waitsUntilMs = waiting.get(webhook.webhookId)?.[count]?.dueAtMs;
    const times = [
      waitsUntilMs ?? quietUntil.get(webhook.webhookId),
      digestsEnd.get(webhook.webhookId),
    ];
    return { ...webhook, dueAtMs: earliest(times) };
  });
  await setNextDue(tx, next, now);
  await pauseUnreadable(tx, unreadable, now);
  const { claimed, withoutBody } = await beginAttempts(tx, claim, { due, targets });
  return {
    claimed,
    withoutBody,
    paused: readable.filter(({ status }) => status === 'Paused'),
    unreadable,
  };
}

async function beginAttempts(
  tx: Transaction,
  claim: Claim,
  input: {
    due: readonly { delivery: PendingDelivery; webhook: DueWebhook }[];
    targets: ReadonlyMap<string, Target | null>;
  },
): Promise<Pick<ClaimResult, 'claimed' | 'withoutBody'>> {
  const ofEvents = input.due.filter(({ delivery }) => delivery.payload === null);
  const payloads = await readPayloads(
    tx,
    ofEvents.map(({ delivery }) => delivery),
  );
  const withoutBody: PendingDelivery[] = [];
  const claimed = input.due.flatMap(({ delivery, webhook }): Claimed[] => {
    const target = input.targets.get(delivery.webhookId) ?? undefined;
    const body = delivery.payload ?? payloads.get(delivery.eventId);
    // Neither should be missing: the health row is locked, and a partition is dropped only after
    // its unfinished deliveries were moved.
    if (body === undefined) withoutBody.push(delivery);
    if (target === undefined || body === undefined) return [];
    const attempt = delivery.attemptsBefore + delivery.attempts + 1;
    const begun = {
      attemptId: newId(),
      attemptAtMs: claim.now,
      attempt,
      reliability: webhook.reliability,
    };
    return [{ ...delivery, ...begun, target, body }];
  });
  if (claimed.length === 0) return { claimed, withoutBody };
  await leaseDeliveries(tx, claimed, {
    until: claim.realNow + (claim.leaseMs ?? LEASE_MS),
    token: claim.token,
    attemptAtMs: claim.now,
  });
  await insertAttempts(
    tx,
    claimed.map((one) => ({
      ...one,
      atMs: one.attemptAtMs,
      endpoint: one.target.url,
      payloadBytes: Buffer.byteLength(one.body),
    })),
    claim.markers,
  );
  return { claimed, withoutBody };
}
