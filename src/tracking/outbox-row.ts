// One row of the outbox, and the JSON forms in which it is stored.
import type { Tier } from './tier.ts';
import type { ServedState } from './watcher.ts';

/**
 * - `served`: a slot was served, and its day must be paid.
 * - `delisted`: the product was delisted; the account is notified and nothing is charged.
 * - `return`: fewer than half of a day's slots were served, and the day is refunded. Only earlier
 *   versions wrote such rows.
 */
export type OutboxKind = 'served' | 'delisted' | 'return';

export type OutboxRow = {
  kind: OutboxKind;
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  day: number;
  atMs: number;
  /** The change notice for the events; null when nothing changed. */
  body: unknown;
  /** The watcher before the slot was served. A day that cannot be paid is reversed to it. */
  before: ServedState | null;
};

/** Names of members are stored data: rows of earlier versions have them. */
type StoredServedState = {
  servedAt: number | null;
  seenAt: number | null;
  countedOn: number | null;
  slotsServed: number;
  slotsServedBefore: number;
  chargedOn: number | null;
  state: unknown;
  /** Absent in rows of earlier versions. */
  conditionState?: string | null;
};

const storedServedState = (state: ServedState): StoredServedState => ({
  servedAt: state.servedAtMs,
  seenAt: state.seenAtMs,
  countedOn: state.countedDay,
  slotsServed: state.slotsServed,
  slotsServedBefore: state.slotsServedBefore,
  chargedOn: state.chargedDay,
  state: state.state,
  ...(state.conditionState === null ? {} : { conditionState: state.conditionState }),
});

const servedStateOf = (stored: StoredServedState): ServedState => ({
  servedAtMs: stored.servedAt,
  seenAtMs: stored.seenAt,
  countedDay: stored.countedOn,
  slotsServed: stored.slotsServed,
  slotsServedBefore: stored.slotsServedBefore,
  chargedDay: stored.chargedOn,
  state: stored.state,
  conditionState: stored.conditionState ?? null,
});

export const writeBefore = (before: ServedState | null): string | null =>
  before === null ? null : JSON.stringify(storedServedState(before));

/** Returns null for text that is not JSON: one damaged row must not stop the others. */
export function readBefore(text: string | null): ServedState | null {
  if (text === null) return null;
  try {
    return servedStateOf(JSON.parse(text));
  } catch {
    return null;
  }
}

/** An outbox row as the quarantine stores it. */
export type StoredOutboxRow = Omit<OutboxRow, 'atMs' | 'before'> & {
  at: number;
  before: StoredServedState | null;
};

export const storedOutboxRow = ({ atMs, before, ...row }: OutboxRow): StoredOutboxRow => ({
  ...row,
  at: atMs,
  before: before && storedServedState(before),
});

export const outboxRowOf = ({ at, before, ...row }: StoredOutboxRow): OutboxRow => ({
  ...row,
  atMs: at,
  before: before ? servedStateOf(before) : null,
});
