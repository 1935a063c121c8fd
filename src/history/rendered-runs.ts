// Runs as they were rendered last, within a bound of bytes. A run that was written anew has another
// checksum, so that nothing needs to be taken out when it changes.
import type { Run } from './runs.ts';

export type RenderedRun = { json: Buffer; count: number };

/** What one entry costs besides its bytes. */
const ENTRY_BYTES = 200;

/** A part of a longer buffer is copied where more than a twentieth would be kept for nothing. */
function compact(json: Buffer): Buffer {
  if (json.length >= json.buffer.byteLength * 0.95) return json;
  const own = Buffer.allocUnsafeSlow(json.length);
  json.copy(own);
  return own;
}

export function createRenderedRuns(bytesMax: number) {
  const kept = new Map<string, RenderedRun>();
  let bytes = 0;
  const keyOf = (run: Run) => `${run.code} ${run.firstAtSeconds} ${run.checksum}`;
  const sizeOf = (rendered: RenderedRun) => rendered.json.buffer.byteLength + ENTRY_BYTES;
  return {
    get(run: Run): RenderedRun | undefined {
      const key = keyOf(run);
      const found = kept.get(key);
      if (found === undefined) return undefined;
      // Asked for last, dropped last.
      kept.delete(key);
      kept.set(key, found);
      return found;
    },
    put(run: Run, rendered: RenderedRun): void {
      if (rendered.json.length + ENTRY_BYTES > bytesMax) return;
      const key = keyOf(run);
      const before = kept.get(key);
      if (before !== undefined) bytes -= sizeOf(before);
      kept.delete(key);
      const own = { json: compact(rendered.json), count: rendered.count };
      kept.set(key, own);
      bytes += sizeOf(own);
      for (const [oldest, gone] of kept) {
        if (bytes <= bytesMax) break;
        kept.delete(oldest);
        bytes -= sizeOf(gone);
      }
    },
    bytes: () => bytes,
  };
}
