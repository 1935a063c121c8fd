// Reading looks back: whole, ascending, from the runs and the tail of one product.
import { createPause } from '../background/slices.ts';
import { readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Look } from './look.ts';
import { DamagedBlock } from './packed-block.ts';
import { unpackLooks } from './packed-looks.ts';
import { checksumOf, isSound, type Run, readRuns, type Stream } from './runs.ts';

/** From inclusive, to exclusive, in seconds. */
export type Span = { fromAt: number; toAt: number };

export const ALL_TIME: Span = { fromAt: 0, toAt: 253_402_300_799 };

/**
 * The looks of a product inside a span. What is damaged is reported and left out. The tail is read first:
 * should it be moved into runs meanwhile, its looks are met twice and taken once.
 */
export async function readLooks(
  deps: { db: Database; log: Log },
  code: string,
  span: Span = ALL_TIME,
): Promise<Look[]> {
  const tail = (await readTails(deps.db, [code])).get(code);
  if (tail === undefined) return [];
  const open = (where: string, bytes: Buffer, sound: boolean) =>
    openBlock(deps.log, { code, where }, sound ? bytes : null);
  const recent = open('tail', tail.bytes, checksumOf(tail.bytes) === tail.checksum);
  const pause = createPause();
  const [box, shelf] = await Promise.all(
    (['box', 'shelf'] as const).map(async (stream: Stream) => {
      const runs: Run[] = await readRuns(deps.db, { code, stream, ...span });
      const looks: Look[] = [];
      for (const run of runs) {
        for (const look of open(`${stream} ${run.firstAt}`, run.packed, isSound(run)))
          looks.push(look);
        await pause();
      }
      return looks;
    }),
  );
  const joined = joinParts(box ?? [], shelf ?? []);
  const tailFrom = recent[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
  return [...joined.filter((look) => look.atSeconds < tailFrom), ...recent].filter(
    ({ atSeconds }) => atSeconds >= span.fromAt && atSeconds < span.toAt,
  );
}

/** The looks of a block; none, and a line in the log, where it is damaged (null). */
export function openBlock(
  log: Log,
  key: { code: string; where: string },
  bytes: Buffer | null,
): Look[] {
  try {
    if (bytes === null) throw new DamagedBlock('its checksum differs');
    return unpackLooks(bytes);
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...key, reason: error.message }, 'packed history is damaged and left out');
    return [];
  }
}

/** Both streams of the runs as whole looks. */
export function joinParts(box: readonly Look[], shelf: readonly Look[]): Look[] {
  const looks: Look[] = [];
  let next = 0;
  for (const part of shelf) {
    while (next < box.length && (box[next] as Look).atSeconds < part.atSeconds) {
      looks.push(box[next++] as Look);
    }
    const other = box[next];
    if (other?.atSeconds === part.atSeconds) {
      looks.push({ ...part, buybox: other.buybox });
      next++;
    } else {
      looks.push(part);
    }
  }
  while (next < box.length) looks.push(box[next++] as Look);
  return looks;
}
