// Builds the body of a digest: how many events of which kinds, the most important of them, and
// where to read all. Like every body it has 400 to 2,100 bytes.
import type { EventKind } from '../events/kind.ts';
import { isoTime } from '../foundation/clock.ts';
import { cursorOf } from '../foundation/cursor.ts';
import { assert } from '../foundation/problem.ts';
import { fits, padded, shortened } from './payload.ts';

/** Sent only to webhooks that chose digests. */
export const DIGEST_KIND = 'events.digest' as const;

/** Events that a digest lists at most; fewer where they do not fit. */
export const LISTED_MAX = 10;
/** Names are shortened to this, so that several events fit. */
const NAME_CHARS_MAX = 60;

/** Most important first: what costs sales now, then what changes prices, then the rest. */
export const BY_IMPORTANCE: readonly EventKind[] = [
  'rule.matched',
  'buybox.lost',
  'stock.out',
  'price.suppressed',
  'buybox.won',
  'price.drop',
  'price.increase',
  'stock.low',
  'stock.restored',
  'price.restored',
  'seller.price_change',
  'seller.new',
  'seller.removed',
  'buybox.rotation',
  'rank.lost',
  'rank.gained',
];

const importanceOf = (kind: string) => {
  const position = BY_IMPORTANCE.indexOf(kind as EventKind);
  return position === -1 ? BY_IMPORTANCE.length : position;
};

export const byImportance = (a: { kind: string }, b: { kind: string }) =>
  importanceOf(a.kind) - importanceOf(b.kind);

export type DigestInput = {
  digestId: string;
  fromMs: number;
  toMs: number;
  counts: ReadonlyMap<string, number>;
  /** Bodies of the events that may be listed, in any order. */
  bodies: readonly string[];
  /** Its events were recorded after the first and until the second. */
  afterMs: number;
  untilMs: number;
};

/** The body as it is signed and sent. If too large it lists fewer events. */
export function digestBody(input: DigestInput): string {
  const listed = input.bodies
    .map((body) => JSON.parse(body) as EventBody)
    .sort((a, b) => byImportance({ kind: a.type }, { kind: b.type }) || changeOf(b) - changeOf(a))
    .slice(0, LISTED_MAX)
    .map(listedEvent);
  for (let count = listed.length; count >= 0; count--) {
    const json = write(input, listed.slice(0, count));
    if (fits(json)) return padded(json);
  }
  assert(false, 'a digest without events that is too large');
}

type Observed = { value: number | string | null } | null;
type EventBody = {
  type: string;
  timestamp: string;
  data: {
    event_id: string;
    retailer_product_code: string;
    product_name: string | null;
    before: Observed;
    after: Observed;
    /** Of a customer's rule: its name and the values that it matched. */
    reason: string | null;
  };
};

/** How far a number moved, relative to what it was; other changes count as none. */
function changeOf({ data }: EventBody): number {
  const [before, after] = [data.before?.value, data.after?.value];
  if (typeof before !== 'number' || typeof after !== 'number') return 0;
  return Math.abs(after - before) / Math.max(Math.abs(before), 0.01);
}

function listedEvent({ type, timestamp, data }: EventBody): Record<string, unknown> {
  const text = <T>(value: T) =>
    typeof value === 'string' ? shortened(value, NAME_CHARS_MAX) : (value ?? null);
  return {
    event_id: data.event_id,
    type,
    timestamp,
    retailer_product_code: data.retailer_product_code,
    product_name: text(data.product_name),
    before: text(data.before?.value),
    after: text(data.after?.value),
    reason: text(data.reason),
  };
}

/** After every event of its millisecond. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

function write(input: DigestInput, events: readonly Record<string, unknown>[]): string {
  const counts = [...input.counts].map(([kind, count]) => ({ kind, count })).sort(byImportance);
  const after = cursorOf({ atMs: input.afterMs, id: LAST_ID });
  const until = cursorOf({ atMs: input.untilMs, id: LAST_ID });
  return JSON.stringify({
    type: DIGEST_KIND,
    timestamp: isoTime(input.toMs),
    data: {
      event_id: input.digestId,
      from: isoTime(input.fromMs),
      to: isoTime(input.toMs),
      event_count: counts.reduce((sum, { count }) => sum + count, 0),
      counts: Object.fromEntries(counts.map(({ kind, count }) => [kind, count])),
      events,
      events_url: `/retailer/events?after=${after}&until=${until}`,
    },
  });
}
