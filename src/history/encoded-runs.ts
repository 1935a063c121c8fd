// A cache of runs rendered as JSON and compressed, bounded by bytes: a tenth of the plain text. The
// checksum is part of the key, so a rewritten run misses the cache.
import { LRUCache } from 'lru-cache';
import { type EncodedPart, encodePart, type PartEncoding } from '../foundation/compression.ts';
import type { Run } from './runs.ts';

export type EncodedRun = EncodedPart & { count: number };

/** What an entry costs besides its bytes. */
const ENTRY_BYTES = 300;

/** A size of 0 turns the cache off. */
export function createEncodedRuns(bytesMax: number) {
  const cache = new LRUCache<string, EncodedRun>({
    maxSize: Math.max(1, bytesMax),
    sizeCalculation: ({ bytes }) => bytes.length + ENTRY_BYTES,
  });
  return {
    /** `variant`: what else the bytes depend on. */
    get(
      { run, encoding, variant }: { run: Run; encoding: PartEncoding; variant: string },
      render: () => { json: Buffer; count: number },
    ): EncodedRun {
      const key = `${encoding} ${variant} ${run.code} ${run.firstAtSeconds} ${run.checksum}`;
      const cached = cache.get(key);
      if (cached !== undefined) return cached;
      const { json, count } = render();
      const part = { ...encodePart(json, encoding), count };
      if (part.bytes.length + ENTRY_BYTES <= bytesMax) cache.set(key, part);
      return part;
    },
  };
}
