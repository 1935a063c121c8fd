// A cache of runs rendered as JSON, bounded by bytes. The checksum is part of the key, so a
// rewritten run misses the cache and nothing has to be invalidated.
import { LRUCache } from 'lru-cache';
import type { Run } from './runs.ts';

export type RenderedRun = { json: Buffer; count: number };

/** What an entry costs besides its bytes. */
const ENTRY_BYTES = 200;

/** Copies a slice whose larger buffer would waste more than a twentieth of its memory. */
function compact(json: Buffer): Buffer {
  if (json.length >= json.buffer.byteLength * 0.95) return json;
  const copy = Buffer.allocUnsafeSlow(json.length);
  json.copy(copy);
  return copy;
}

/** A size of 0 turns the cache off. */
export function createRenderedRuns(bytesMax: number) {
  const cache = new LRUCache<string, RenderedRun>({
    // The cache needs a positive size; no entry fits into a byte.
    maxSize: Math.max(1, bytesMax),
    sizeCalculation: ({ json }) => json.buffer.byteLength + ENTRY_BYTES,
  });
  const keyOf = (run: Run) => `${run.code} ${run.firstAtSeconds} ${run.checksum}`;
  return {
    get: (run: Run): RenderedRun | undefined => cache.get(keyOf(run)),
    put(run: Run, { json, count }: RenderedRun): void {
      if (json.length + ENTRY_BYTES > bytesMax) return;
      cache.set(keyOf(run), { json: compact(json), count });
    },
  };
}
