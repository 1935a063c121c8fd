// The largest price changes and lost buyboxes among an account's latest events, one per product,
// the largest first.
import type { Database } from '../database/database.ts';
import { listNewestEvents, type NewEvent } from './events.ts';
import type { EventKind } from './kind.ts';

/** An event with its change: −0.53 for a price that fell by 53 %; null for a lost buybox. */
export type Move = { event: NewEvent; change: number | null };

const PRICE_KINDS: readonly EventKind[] = ['price.drop', 'price.increase'];
const LOST: EventKind = 'buybox.lost';
/** Of each kind: enough for a day of all but the busiest accounts. */
const READ_MAX = 1_000;

export async function readBigMoves(
  db: Database,
  input: { accountId: string; sinceAtMs: number; limit: number },
): Promise<Move[]> {
  const { accountId, sinceAtMs, limit } = input;
  const lists = await Promise.all(
    [...PRICE_KINDS, LOST].map((kind) =>
      listNewestEvents(db, { accountId, kind, oldestAtMs: sinceAtMs, limit: READ_MAX }),
    ),
  );
  return rankMoves(lists.flat()).slice(0, limit);
}

/** A lost buybox ends the seller's sales: it counts as a change by half. */
const LOST_WEIGHT = 0.5;

/** Pure: the largest move of each product, by its size. */
export function rankMoves(events: readonly NewEvent[]): Move[] {
  const largest = new Map<string, Move & { size: number }>();
  for (const event of events) {
    const change = event.kind === LOST ? null : changeOf(event.payload);
    if (change === undefined) continue;
    const size = change === null ? LOST_WEIGHT : sizeOf(change);
    const other = largest.get(event.code);
    if (other === undefined || isAhead({ event, size }, other)) {
      largest.set(event.code, { event, change, size });
    }
  }
  return [...largest.values()]
    .sort((a, b) => b.size - a.size || b.event.atMs - a.event.atMs)
    .map(({ event, change }) => ({ event, change }));
}

const isAhead = (a: { event: NewEvent; size: number }, b: { event: NewEvent; size: number }) =>
  a.size === b.size ? a.event.atMs > b.event.atMs : a.size > b.size;

/** Halving and doubling are equally large: no price falls by more than 100 %. */
const sizeOf = (change: number) => (change < 0 ? -change : change / (1 + change));

/** Undefined if the event lacks one of the prices. */
function changeOf(payload: string): number | undefined {
  const { data } = JSON.parse(payload) as {
    data: { before?: { value?: unknown } | null; after?: { value?: unknown } | null };
  };
  const before = data.before?.value;
  const after = data.after?.value;
  if (typeof before !== 'number' || typeof after !== 'number' || before <= 0) return undefined;
  return (after - before) / before;
}
