// Taking what is due: a turn for each registration that waits, each with its share, and each attempt logged before it
// is made.
import { closedAmong } from '../accounts/accounts.ts';
import { isolate } from '../background/isolate.ts';
import { blameFor } from '../database/blame.ts';
import type { Transaction } from '../database/database.ts';
import { readPayloads } from '../events/events.ts';
import { newId } from '../foundation/id.ts';
import { insertAttempts } from './attempts.ts';
import type { ConcurrencyLimiter, EndpointReliability } from './concurrency-limiter.ts';
import { leaseDeliveries, readWaiting } from './deliveries.ts';
import type { Waiting } from './delivery-row.ts';
import { pausedBy } from './endpoint-health.ts';
import {
  claimDueWebhooks,
  claimListedWebhooks,
  type DueWebhook,
  readDueWebhooks,
  saveHealth,
  setNextDue,
  type WebhookKey,
} from './health-records.ts';
import {
  DELIVER,
  type DeliverIsolation,
  quarantineDelivery,
  quarantineRegistration,
} from './quarantine-delivery.ts';
import { readTargets, type Target } from './subscriptions.ts';

/** Twice the longest attempt (15 s), and time to write down what came of it. */
export const LEASE_MS = 60_000;

export const SECRET_UNREADABLE =
  'the signing secret of this webhook cannot be read any more: rotate the secret, and what waits is sent';

/** A delivery with an attempt that is about to be made. */
export type Claimed = Waiting & {
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
  /** For how long nobody else makes the attempt; 60 s unless said. */
  leaseMs?: number;
  /** At most so many deliveries. */
  limit: number;
  /** Shares them out between accounts and their registrations. */
  limiter: Pick<ConcurrencyLimiter, 'claimFilter' | 'roomFor' | 'allot'>;
  encryptionKeys: readonly Buffer[];
  /** Called for paused registrations whose deliveries may not all be held yet: much may wait for one. */
  hold?(key: WebhookKey, options: { exceptManual: boolean }): void;
};

type Taken = {
  claimed: Claimed[];
  paused: readonly WebhookKey[];
  unreadable: readonly WebhookKey[];
  /** Deliveries without a body: they can never be sent. */
  bodiless: readonly Waiting[];
};

const LOST_BODY = 'its event is not there any more';

/** What cannot be claimed is set aside; the others are claimed in the same round. */
export async function claimDeliveries(deps: DeliverIsolation, claim: Claim): Promise<Claimed[]> {
  const { now, limit, limiter } = claim;
  const filter = limiter.claimFilter();
  const heldOff = deps.heldOff?.keys() ?? [];
  const fullWebhooks = filter.fullWebhooks.concat(heldOff);
  const round: Round = {
    ...{ deps, claim, left: limit, except: heldOff },
    input: { now, limit, filter: { ...filter, fullWebhooks } },
  };
  try {
    return await committed(round, (tx) => claimDueWebhooks(tx, round.input));
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    return claimOneByOne(round);
  }
}

type Round = {
  deps: DeliverIsolation;
  claim: Claim;
  /** Slots that are not given yet. */
  left: number;
  /** Deliveries that are left alone. */
  except: readonly string[];
  input: Parameters<typeof readDueWebhooks>[1];
};

/** Takes some turns in one transaction, of one registration perhaps only some deliveries. */
async function committed(
  round: Round,
  lock: (tx: Transaction) => Promise<DueWebhook[]>,
  only?: ReadonlySet<string>,
): Promise<Claimed[]> {
  const { deps, left: limit, except } = round;
  const claim = { ...round.claim, limit };
  const taken = await deps.db.transaction(async (tx) => {
    const dueWebhooks = await withoutClosed(tx, await lock(tx), claim.now);
    return claimFromWebhooks(tx, claim, { dueWebhooks, except, only });
  });
  const { claimed, paused, unreadable, bodiless } = taken;
  round.left -= claimed.length;
  for (const key of bodiless) {
    await quarantineDelivery(deps, { key, reason: LOST_BODY, atMs: claim.now });
  }
  for (const key of paused) claim.hold?.(key, { exceptManual: true });
  for (const key of unreadable) claim.hold?.(key, { exceptManual: false });
  return claimed;
}

/** After a claim of all has failed: in halves, until the registration or the delivery that is to blame stands alone. */
async function claimOneByOne(round: Round): Promise<Claimed[]> {
  const { deps, claim, input } = round;
  const further: Claimed[] = [];
  const { results, left } = await isolate(await readDueWebhooks(deps.db, input), {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ webhookId }) => webhookId,
    run: (batch) => committed(round, (tx) => claimListedWebhooks(tx, batch, claim.now)),
    setAside: async (dueWebhook, reason) => {
      further.push(...(await claimOf(round, dueWebhook, reason)));
      return 'opened';
    },
  });
  deps.heldOff?.add(left.map(({ webhookId }) => webhookId));
  return [...results.flat(), ...further];
}

/** Of a registration whose claim fails: which of its deliveries is to blame, or it itself when none is. */
async function claimOf(round: Round, dueWebhook: DueWebhook, reason: string): Promise<Claimed[]> {
  const { deps, claim } = round;
  const lock = (tx: Transaction) => claimListedWebhooks(tx, [dueWebhook], claim.now);
  try {
    await committed(round, lock, new Set());
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    await quarantineRegistration(deps, { key: dueWebhook, reason, atMs: claim.now });
    return [];
  }
  const room = Math.min(round.left, claim.limiter.roomFor(dueWebhook));
  const asked = {
    ...dueWebhook,
    room: Math.max(0, room),
    isPaused: dueWebhook.status === 'Paused',
  };
  const waiting = await readWaiting(deps.db, [asked], round.except);
  const { results } = await isolate(waiting, {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ deliveryId }) => deliveryId,
    run: (batch) => committed(round, lock, new Set(batch.map(({ deliveryId }) => deliveryId))),
    setAside: (key, why) => quarantineDelivery(deps, { key, reason: why, atMs: claim.now }),
  });
  return results.flat();
}

type DueWebhooks = {
  dueWebhooks: readonly DueWebhook[];
  except: readonly string[];
  only?: ReadonlySet<string> | undefined;
};

/** The turns' rows are locked. */
async function claimFromWebhooks(
  tx: Transaction,
  claim: Claim,
  { dueWebhooks, except, only }: DueWebhooks,
): Promise<Taken> {
  if (dueWebhooks.length === 0) return { claimed: [], paused: [], unreadable: [], bodiless: [] };
  const { now, limit, limiter } = claim;
  const share = shareOf(dueWebhooks, limit);
  // Fixed before anything is read: responses that come meanwhile make room, and a turn that is given all that was read
  // would look as if nothing more waits.
  const rooms = new Map(
    dueWebhooks.map((dueWebhook) => [
      dueWebhook.webhookId,
      Math.min(share(dueWebhook), Math.max(0, limiter.roomFor(dueWebhook))),
    ]),
  );
  const roomOf = ({ webhookId }: WebhookKey) => rooms.get(webhookId) ?? 0;
  // One more than there is room for: it says when the next turn is.
  const waiting = Map.groupBy(
    await readWaiting(
      tx,
      dueWebhooks.map((dueWebhook) => ({
        ...dueWebhook,
        room: roomOf(dueWebhook) + 1,
        isPaused: dueWebhook.status === 'Paused',
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
    dueWebhooks.filter((dueWebhook) => dueOf(dueWebhook).length > 0),
    claim,
  );
  const unreadable = dueWebhooks.filter(({ webhookId }) => targets.get(webhookId) === null);
  const sound = dueWebhooks.filter(({ webhookId }) => targets.get(webhookId) !== null);
  const granted = limiter.allot(
    sound.map((dueWebhook) => ({
      ...dueWebhook,
      wanted: Math.min(roomOf(dueWebhook), dueOf(dueWebhook).length),
    })),
    limit,
  );
  const taken = sound.flatMap((dueWebhook) => {
    const due = dueOf(dueWebhook).slice(0, granted.get(dueWebhook.webhookId) ?? 0);
    return due.map((delivery) => ({ delivery, dueWebhook }));
  });
  // Also who was given nothing goes to the end of the order, so that those behind come before it next time.
  const next = sound.map((dueWebhook) => {
    const count = granted.get(dueWebhook.webhookId) ?? 0;
    // Only some were looked at: the next turn sees the rest.
    if (only !== undefined) return { ...dueWebhook, dueAtMs: now };
    return { ...dueWebhook, dueAtMs: waiting.get(dueWebhook.webhookId)?.[count]?.dueAtMs ?? null };
  });
  await setNextDue(tx, next, now);
  await pauseUnreadable(tx, unreadable, now);
  const { claimed, bodiless } = await beginAttempts(tx, claim, { taken, targets });
  return {
    claimed,
    bodiless,
    paused: sound.filter(({ status }) => status === 'Paused'),
    unreadable,
  };
}

/** So many at most for a registration, so that little is read that is not taken: an account's share of the slots. */
function shareOf(
  dueWebhooks: readonly DueWebhook[],
  limit: number,
): (dueWebhook: DueWebhook) => number {
  const ofAccount = new Map<string, number>();
  for (const { accountId } of dueWebhooks) {
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + 1);
  }
  const each = limit / ofAccount.size;
  return ({ accountId }) => Math.ceil(each / (ofAccount.get(accountId) ?? 1));
}

/** Nothing can be signed for these: they wait for a new secret, and nobody else waits for them. */
async function pauseUnreadable(tx: Transaction, dueWebhooks: readonly DueWebhook[], now: number) {
  const pause = { pauseCause: 'secret_unreadable', pausedReason: SECRET_UNREADABLE } as const;
  await saveHealth(
    tx,
    dueWebhooks.map((dueWebhook) => pausedBy(dueWebhook, { ...pause, pausedAtMs: now })),
  );
  await setNextDue(
    tx,
    dueWebhooks.map((dueWebhook) => ({ ...dueWebhook, dueAtMs: null })),
    now,
  );
}

/** For closed accounts nothing is sent; their turns come again when they are reopened. */
async function withoutClosed(
  tx: Transaction,
  dueWebhooks: readonly DueWebhook[],
  now: number,
): Promise<readonly DueWebhook[]> {
  const closed = await closedAmong(tx, [...new Set(dueWebhooks.map(({ accountId }) => accountId))]);
  if (closed.size === 0) return dueWebhooks;
  const held = dueWebhooks.filter(({ accountId }) => closed.has(accountId));
  await setNextDue(
    tx,
    held.map((key) => ({ ...key, dueAtMs: null })),
    now,
  );
  return dueWebhooks.filter(({ accountId }) => !closed.has(accountId));
}

async function beginAttempts(
  tx: Transaction,
  claim: Claim,
  input: {
    taken: readonly { delivery: Waiting; dueWebhook: DueWebhook }[];
    targets: ReadonlyMap<string, Target | null>;
  },
): Promise<Pick<Taken, 'claimed' | 'bodiless'>> {
  const ofEvents = input.taken.filter(({ delivery }) => delivery.payload === null);
  const payloads = await readPayloads(
    tx,
    ofEvents.map(({ delivery }) => delivery),
  );
  const bodiless: Waiting[] = [];
  const claimed = input.taken.flatMap(({ delivery, dueWebhook }): Claimed[] => {
    const target = input.targets.get(delivery.webhookId) ?? undefined;
    const body = delivery.payload ?? payloads.get(delivery.eventId);
    // Neither can be missing while the standing is locked and partitions are dropped only after their rescue.
    if (body === undefined) bodiless.push(delivery);
    if (target === undefined || body === undefined) return [];
    const attempt = delivery.attemptsBefore + delivery.attempts + 1;
    const begun = {
      attemptId: newId(),
      attemptAtMs: claim.now,
      attempt,
      reliability: dueWebhook.reliability,
    };
    return [{ ...delivery, ...begun, target, body }];
  });
  if (claimed.length === 0) return { claimed, bodiless };
  await leaseDeliveries(tx, claimed, {
    until: claim.realNow + (claim.leaseMs ?? LEASE_MS),
    token: claim.token,
    attemptAtMs: claim.now,
  });
  await insertAttempts(
    tx,
    claimed.map((one) => ({
      ...one,
      ...{ atMs: one.attemptAtMs, endpoint: one.target.url },
      payloadBytes: Buffer.byteLength(one.body),
    })),
  );
  return { claimed, bodiless };
}
