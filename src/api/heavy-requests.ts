// Requests that read much: how many of them an account and all accounts may have under way, and how a response that is
// written while it is being read goes out.
import { Readable } from 'node:stream';
import { createFairGate } from '../background/fair-gate.ts';
import { createPause } from '../background/slices.ts';
import { bounds } from '../foundation/bounds.ts';

/** Runs a part of heavy work when it is the account's turn: some milliseconds of reading and writing, never a whole history. */
export type TakeTurn = <T>(part: () => Promise<T>) => Promise<T>;

export type HeavyRequests = ReturnType<typeof createHeavyRequests>;

/** One for a process. */
export function createHeavyRequests() {
  // Whole requests: what bounds memory. A slow reader holds one of its own account's.
  const requests = createFairGate(bounds.heavyRequests);
  // Their parts: what bounds the use of the processor and of database connections.
  const turns = createFairGate(bounds.heavyTurns);
  return {
    /** Held until the work ends: for a response, until its last byte is sent. */
    admit: <T>(accountId: string, work: () => Promise<T>) => requests.run(accountId, work),
    takeTurn:
      (accountId: string): TakeTurn =>
      (part) =>
        turns.run(accountId, part, { isContinued: true }),
    usage: () => ({ requests: requests.usage(), turns: turns.usage() }),
  };
}

/** What is sent part by part. */
export type Parts = AsyncGenerator<string, void, undefined>;

/**
 * The payload of a response that is written part by part: a text where it is short, else a stream. Whatever fails before the
 * first part is sent is an ordinary error; later the connection is destroyed, so that nobody takes a part for the whole.
 */
export async function startParts(
  parts: Parts,
  onFailure: (error: unknown) => void,
): Promise<string | Readable> {
  let start = '';
  while (start.length < bounds.streamStartChars) {
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

/** Ends what nobody reads: the parts hold memory and a place of their account. */
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
      // A client that reads as fast as we write would never let anybody else have a turn.
      await pause();
    }
  } finally {
    clearTimeout(timer);
    await parts.return();
  }
}

/** A JSON array, a part for each page of its members. */
export async function* jsonArrayParts<T>(
  pages: AsyncIterable<readonly T[]>,
  record: (one: T) => unknown,
): Parts {
  const pause = createPause();
  let opening = '[';
  for await (const page of pages) {
    const members: string[] = [];
    for (const one of page) {
      members.push(JSON.stringify(record(one)));
      await pause();
    }
    if (members.length === 0) continue;
    yield opening + members.join(',');
    opening = ',';
  }
  yield opening === '[' ? '[]' : ']';
}
