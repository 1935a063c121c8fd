// Limits how many heavy requests (those that read much) run per account and in total, and streams
// long responses.
import { Readable } from 'node:stream';
import { createFairGate } from '../background/fair-gate.ts';
import { createPause } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';

/** Runs one part of heavy work in the account's turn: a few milliseconds, never a whole history. */
export type TakeTurn = <T>(part: () => Promise<T>) => Promise<T>;

export type HeavyRequests = ReturnType<typeof createHeavyRequests>;

/** Create one per process. */
export function createHeavyRequests() {
  // Whole requests: bounds memory. A slow reader occupies a slot of its own account.
  const requests = createFairGate(bounds.heavyRequests);
  // Parts of requests: bounds the use of the processor and of database connections.
  const turns = createFairGate(bounds.heavyTurns);
  return {
    /** Holds the slot until the work ends: for a response, until its last byte is sent. */
    admit: <T>(accountId: string, work: () => Promise<T>) => requests.run(accountId, work),
    takeTurn:
      (accountId: string): TakeTurn =>
      (part) =>
        turns.run(accountId, part, { isContinued: true }),
    usage: () => ({ requests: requests.usage(), turns: turns.usage() }),
  };
}

/** A response body, part by part. */
export type Parts = AsyncGenerator<string, void, undefined>;

/**
 * The payload of a response written part by part: a string if it is short, else a stream. A failure
 * before the first part is sent is an ordinary error; a later one destroys the connection, so that
 * no client takes a truncated body for a complete one.
 */
export async function startParts(
  parts: Parts,
  onFailure: (error: unknown) => void,
  startChars: number = bounds.streamStartChars,
): Promise<string | Readable> {
  let start = '';
  while (start.length < startChars) {
    const next = await parts.next();
    if (next.done) return start;
    start += next.value;
  }
  const stream = Readable.from(
    guarded(start, parts, () => stream.destroy(stalled())),
    {
      objectMode: false,
      highWaterMark: bounds.streamStartChars,
    },
  );
  stream.on('error', onFailure);
  return stream;
}

const stalled = () => new Error('the client has stopped reading');

/** Ends a stream that nobody reads: it holds memory and a slot of its account. */
async function* guarded(start: string, parts: Parts, onStall: () => void) {
  const pause = createPause();
  let timer: NodeJS.Timeout | undefined;
  const watch = () => {
    timer = setTimeout(onStall, bounds.streamStallMs);
  };
  try {
    watch();
    yield start;
    clearTimeout(timer);
    for await (const part of parts) {
      watch();
      yield part;
      clearTimeout(timer);
      // A client that reads as fast as we write would never yield to the event loop.
      await pause();
    }
  } finally {
    clearTimeout(timer);
    await parts.return();
  }
}
