// A cache that drops its least recently used entries above a limit and grows with its use.
import { LRUCache } from 'lru-cache';

/**
 * The library allocates for all entries at once when it is given `max`: 16 ms for 100,000 of them,
 * a tenth of a second for the caches of one service. Given a size it allocates as entries come.
 */
export function boundedCache<Key extends NonNullable<unknown>, Value extends NonNullable<unknown>>(
  entriesMax: number,
  { ttlMs }: { ttlMs?: number } = {},
): LRUCache<Key, Value> {
  return new LRUCache<Key, Value>({
    maxSize: entriesMax,
    sizeCalculation: () => 1,
    ...(ttlMs === undefined ? {} : { ttl: ttlMs }),
  });
}
