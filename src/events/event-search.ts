// Finds an account's events by tag and words, newest first: reads them in slices and compares each,
// up to a bound per page, so that a filter that matches nothing stays cheap.
import type { Database } from '../database/database.ts';
import { type EventTimePosition, listNewestEvents, type NewEvent } from './events.ts';

export type EventSearch = {
  accountId: string;
  before?: EventTimePosition | undefined;
  oldestAtMs: number;
  kind?: string | undefined;
  code?: string | undefined;
  tag?: string | undefined;
  words?: string | undefined;
};

const SLICE_EVENTS = 500;
/** A busy account has thousands of events per day: at most this many are compared per page. */
const COMPARED_MAX = 3_000;

export type FoundEvents = {
  events: NewEvent[];
  /** Where the next page begins; null when every event was compared. */
  next: EventTimePosition | null;
};

/** The page may be shorter than `limit`, and even empty, though there is a next one. */
export async function searchEvents(
  db: Database,
  search: EventSearch,
  limit: number,
): Promise<FoundEvents> {
  const matches = matcherOf(search);
  // Without words and tag the indexes filter, and every event that is read is shown.
  const sliceSize = matches === null ? limit + 1 : Math.max(SLICE_EVENTS, limit + 1);
  const events: NewEvent[] = [];
  let { before } = search;
  for (let compared = 0; compared < COMPARED_MAX; compared += sliceSize) {
    const slice = await listNewestEvents(db, { ...search, before, limit: sliceSize });
    for (const event of slice) {
      if (matches !== null && !matches(event)) continue;
      if (events.length === limit) return { events, next: positionOf(events.at(-1)) };
      events.push(event);
    }
    if (slice.length < sliceSize) return { events, next: null };
    before = positionOf(slice.at(-1)) ?? before;
  }
  return { events, next: before ?? null };
}

const positionOf = (event: NewEvent | undefined): EventTimePosition | null =>
  event === undefined ? null : { atMs: event.atMs, eventId: event.eventId };

/** Null if neither a tag nor words are searched for. */
function matcherOf({
  tag,
  words = '',
}: Pick<EventSearch, 'tag' | 'words'>): ((event: NewEvent) => boolean) | null {
  const searched = words.toLowerCase().split(/\s+/).filter(Boolean);
  if (tag === undefined && searched.length === 0) return null;
  return (event) => {
    const { data } = JSON.parse(event.payload) as { data: Record<string, unknown> };
    const tags = Array.isArray(data.tags) ? data.tags : [];
    if (tag !== undefined && !tags.includes(tag)) return false;
    const text = textOf(data, tags);
    return searched.every((word) => text.includes(word));
  };
}

/** What a person may search for in an event, in lower case. */
const textOf = (data: Record<string, unknown>, tags: readonly unknown[]) =>
  [
    data.product_name,
    data.retailer_product_code,
    data.seller_name,
    observedValue(data.before),
    observedValue(data.after),
    data.reason,
    ...tags,
  ]
    .filter((part) => typeof part === 'string')
    .join('\n')
    .toLowerCase();

const observedValue = (observed: unknown) =>
  (observed as { value?: unknown } | null | undefined)?.value;
