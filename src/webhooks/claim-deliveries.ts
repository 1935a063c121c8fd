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
  claimTheseTurns,
  claimTurns,
  readTurns,
  saveHealth,
  setTurns,
  type Turn,
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
  attemptAt: number;
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
    return await committed(round, (tx) => claimTurns(tx, round.input));
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
  input: Parameters<typeof readTurns>[1];
};

/** Takes some turns in one transaction, of one registration perhaps only some deliveries. */
async function committed(
  round: Round,
  lock: (tx: Transaction) => Promise<Turn[]>,
  only?: ReadonlySet<string>,
): Promise<Claimed[]> {
  const { deps, left: limit, except } = round;
  const claim = { ...round.claim, limit };
  const taken = await deps.db.transaction(async (tx) => {
    const turns = await withoutClosed(tx, await lock(tx), claim.now);
    return takeTurns(tx, claim, { turns, except, only });
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
  const { results, left } = await isolate(await readTurns(deps.db, input), {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ webhookId }) => webhookId,
    run: (batch) => committed(round, (tx) => claimTheseTurns(tx, batch, claim.now)),
    setAside: async (turn, reason) => {
      further.push(...(await claimOf(round, turn, reason)));
      return 'opened';
    },
  });
  deps.heldOff?.add(left.map(({ webhookId }) => webhookId));
  return [...results.flat(), ...further];
}

/** Of a registration whose claim fails: which of its deliveries is to blame, or it itself when none is. */
async function claimOf(round: Round, turn: Turn, reason: string): Promise<Claimed[]> {
  const { deps, claim } = round;
  const lock = (tx: Transaction) => claimTheseTurns(tx, [turn], claim.now);
  try {
    await committed(round, lock, new Set());
  } catch (error) {
    if (blameFor(error) === 'service') throw error;
    await quarantineRegistration(deps, { key: turn, reason, atMs: claim.now });
    return [];
  }
  const room = Math.min(round.left, claim.limiter.roomFor(turn));
  const asked = { ...turn, room: Math.max(0, room), isPaused: turn.status === 'Paused' };
  const waiting = await readWaiting(deps.db, [asked], round.except);
  const { results } = await isolate(waiting, {
    ...{ loop: DELIVER, log: deps.log },
    keyOf: ({ deliveryId }) => deliveryId,
    run: (batch) => committed(round, lock, new Set(batch.map(({ deliveryId }) => deliveryId))),
    setAside: (key, why) => quarantineDelivery(deps, { key, reason: why, atMs: claim.now }),
  });
  return results.flat();
}

type Turns = {
  turns: readonly Turn[];
  except: readonly string[];
  only?: ReadonlySet<string> | undefined;
};

/** The turns' rows are locked. */
async function takeTurns(
  tx: Transaction,
  claim: Claim,
  { turns, except, only }: Turns,
): Promise<Taken> {
  if (turns.length === 0) return { claimed: [], paused: [], unreadable: [], bodiless: [] };
  const { now, limit, limiter } = claim;
  const share = shareOf(turns, limit);
  // Fixed before anything is read: responses that come meanwhile make room, and a turn that is given all that was read
  // would look as if nothing more waits.
  const rooms = new Map(
    turns.map((turn) => [
      turn.webhookId,
      Math.min(share(turn), Math.max(0, limiter.roomFor(turn))),
    ]),
  );
  const roomOf = ({ webhookId }: WebhookKey) => rooms.get(webhookId) ?? 0;
  // One more than there is room for: it says when the next turn is.
  const waiting = Map.groupBy(
    await readWaiting(
      tx,
      turns.map((turn) => ({
        ...turn,
        room: roomOf(turn) + 1,
        isPaused: turn.status === 'Paused',
      })),
      except,
    ),
    ({ webhookId }) => webhookId,
  );
  const dueOf = ({ webhookId }: WebhookKey) =>
    (waiting.get(webhookId) ?? []).filter(
      ({ dueAt, deliveryId }) => dueAt <= now && (only?.has(deliveryId) ?? true),
    );
  const targets = await readTargets(
    tx,
    turns.filter((turn) => dueOf(turn).length > 0),
    claim,
  );
  const unreadable = turns.filter(({ webhookId }) => targets.get(webhookId) === null);
  const sound = turns.filter(({ webhookId }) => targets.get(webhookId) !== null);
  const granted = limiter.allot(
    sound.map((turn) => ({ ...turn, wanted: Math.min(roomOf(turn), dueOf(turn).length) })),
    limit,
  );
  const taken = sound.flatMap((turn) => {
    const due = dueOf(turn).slice(0, granted.get(turn.webhookId) ?? 0);
    return due.map((delivery) => ({ delivery, turn }));
  });
  // Also who was given nothing goes to the end of the order, so that those behind come before it next time.
  const next = sound.map((turn) => {
    const count = granted.get(turn.webhookId) ?? 0;
    // Only some were looked at: the next turn sees the rest.
    if (only !== undefined) return { ...turn, dueAt: now };
    return { ...turn, dueAt: waiting.get(turn.webhookId)?.[count]?.dueAt ?? null };
  });
  await setTurns(tx, next, now);
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
function shareOf(turns: readonly Turn[], limit: number): (turn: Turn) => number {
  const ofAccount = new Map<string, number>();
  for (const { accountId } of turns) {
    ofAccount.set(accountId, (ofAccount.get(accountId) ?? 0) + 1);
  }
  const each = limit / ofAccount.size;
  return ({ accountId }) => Math.ceil(each / (ofAccount.get(accountId) ?? 1));
}

/** Nothing can be signed for these: they wait for a new secret, and nobody else waits for them. */
async function pauseUnreadable(tx: Transaction, turns: readonly Turn[], now: number) {
  const pause = { pauseCause: 'secret_unreadable', pausedReason: SECRET_UNREADABLE } as const;
  await saveHealth(
    tx,
    turns.map((turn) => pausedBy(turn, { ...pause, pausedAt: now })),
  );
  await setTurns(
    tx,
    turns.map((turn) => ({ ...turn, dueAt: null })),
    now,
  );
}

/** For closed accounts nothing is sent; their turns come again when they are reopened. */
async function withoutClosed(
  tx: Transaction,
  turns: readonly Turn[],
  now: number,
): Promise<readonly Turn[]> {
  const closed = await closedAmong(tx, [...new Set(turns.map(({ accountId }) => accountId))]);
  if (closed.size === 0) return turns;
  const held = turns.filter(({ accountId }) => closed.has(accountId));
  await setTurns(
    tx,
    held.map((key) => ({ ...key, dueAt: null })),
    now,
  );
  return turns.filter(({ accountId }) => !closed.has(accountId));
}

async function beginAttempts(
  tx: Transaction,
  claim: Claim,
  input: {
    taken: readonly { delivery: Waiting; turn: Turn }[];
    targets: ReadonlyMap<string, Target | null>;
  },
): Promise<Pick<Taken, 'claimed' | 'bodiless'>> {
  const ofEvents = input.taken.filter(({ delivery }) => delivery.payload === null);
  const payloads = await readPayloads(
    tx,
    ofEvents.map(({ delivery }) => delivery),
  );
  const bodiless: Waiting[] = [];
  const claimed = input.taken.flatMap(({ delivery, turn }): Claimed[] => {
    const target = input.targets.get(delivery.webhookId) ?? undefined;
    const body = delivery.payload ?? payloads.get(delivery.eventId);
    // Neither can be missing while the standing is locked and partitions are dropped only after their rescue.
    if (body === undefined) bodiless.push(delivery);
    if (target === undefined || body === undefined) return [];
    const attempt = delivery.attemptsBefore + delivery.attempts + 1;
    const begun = {
      attemptId: newId(),
      attemptAt: claim.now,
      attempt,
      reliability: turn.reliability,
    };
    return [{ ...delivery, ...begun, target, body }];
  });
  if (claimed.length === 0) return { claimed, bodiless };
  await leaseDeliveries(tx, claimed, {
    until: claim.realNow + (claim.leaseMs ?? LEASE_MS),
    token: claim.token,
    attemptAt: claim.now,
  });
  await insertAttempts(
    tx,
    claimed.map((one) => ({
      ...one,
      ...{ at: one.attemptAt, endpoint: one.target.url },
      payloadBytes: Buffer.byteLength(one.body),
    })),
  );
  return { claimed, bodiless };
}
