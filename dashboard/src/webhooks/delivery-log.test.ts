// The growing log: nothing twice, nothing stale on top, no silent gap.
import { describe, expect, it } from 'vitest';
import { type LogEntry, type LogPage, withNewest, withOlder } from './delivery-log.ts';

const entry = (place: number, outcome: LogEntry['outcome'] = 'success'): LogEntry => ({
  id: `id-${String(place).padStart(3, '0')}`,
  delivery_id: `d-${place}`,
  event_id: `e-${place}`,
  timestamp: new Date(place * 1000).toISOString(),
  endpoint: 'https://example.com/hooks',
  event: 'price.drop',
  status: outcome === 'success' ? 200 : null,
  outcome,
  duration_ms: 12,
  payload_bytes: 900,
  attempt: 1,
  reason: null,
});
const page = (places: readonly number[], next: string | null): LogPage => ({
  entries: places.map((place) => entry(place)),
  next,
});
const placesIn = ({ entries }: LogPage) => entries.map(({ id }) => Number(id.slice(3)));

describe('the growing log', () => {
  it('puts what is new on top of what is known and keeps the older cursor', () => {
    const known = withOlder(page([9, 8, 7], 'c7'), page([6, 5, 4], 'c4'));
    const grown = withNewest(known, page([11, 10, 9], 'c9'));
    expect(placesIn(grown)).toEqual([11, 10, 9, 8, 7, 6, 5, 4]);
    expect(grown.next).toBe('c4');
  });

  it('takes the newer word on an attempt that was under way', () => {
    const known: LogPage = { entries: [entry(9, 'pending'), entry(8)], next: 'c8' };
    const grown = withNewest(known, page([9, 8], 'c8'));
    expect(grown.entries[0]?.outcome).toBe('success');
    expect(placesIn(grown)).toEqual([9, 8]);
  });

  it('lets go of what no longer joins on', () => {
    const grown = withNewest(page([3, 2, 1], null), page([99, 98, 97], 'c97'));
    expect(placesIn(grown)).toEqual([99, 98, 97]);
    expect(grown.next).toBe('c97');
  });

  it('drops an entry that the newest page no longer has, such as one that left the filter', () => {
    const grown = withNewest(page([9, 8, 7, 6], null), page([9, 7], 'c7'));
    expect(placesIn(grown)).toEqual([9, 7, 6]);
  });

  it('is the newest page alone when that is all there is', () => {
    expect(placesIn(withNewest(page([5, 4], 'c4'), page([9, 5], null)))).toEqual([9, 5]);
  });

  it('adds no entry twice from an older page', () => {
    const grown = withOlder(page([9, 8], 'c8'), page([8, 7], null));
    expect(placesIn(grown)).toEqual([9, 8, 7]);
    expect(grown.next).toBeNull();
  });
});
