// A gate for heavy work of many accounts: accounts take turns, the work of an account waits only
// behind its own, and running and waiting work is limited per account and in total.
import { Problem } from '../foundation/problem.ts';

export type FairGateLimits = {
  /** Running at once: in total, and per key. */
  atOnceMax: number;
  atOncePerKeyMax: number;
  /** Waiting at once, and how long. */
  waitingMax: number;
  waitingPerKeyMax: number;
  waitMaxMs: number;
};

export type FairGate = ReturnType<typeof createFairGate>;

type Ticket = { admit(): void };
type Line = { running: number; waiting: Set<Ticket> };

const RETRY_AFTER_MS = 2_000;

export function createFairGate(limits: FairGateLimits) {
  /** In the order of their turns: a key that had one goes to the end. */
  const lines = new Map<string, Line>();
  let running = 0;
  let waiting = 0;

  const lineOf = (key: string): Line => {
    const line = lines.get(key) ?? { running: 0, waiting: new Set() };
    lines.set(key, line);
    return line;
  };

  const toTheEnd = (key: string, line: Line) => {
    lines.delete(key);
    if (line.running > 0 || line.waiting.size > 0) lines.set(key, line);
  };

  const begin = (key: string, line: Line) => {
    running += 1;
    line.running += 1;
    toTheEnd(key, line);
  };

  const admitNext = () => {
    while (running < limits.atOnceMax) {
      const next = [...lines].find(
        ([, line]) => line.waiting.size > 0 && line.running < limits.atOncePerKeyMax,
      );
      if (next === undefined) return;
      const [key, line] = next;
      const [ticket] = line.waiting as Set<Ticket>;
      begin(key, line);
      ticket?.admit();
    }
  };

  const end = (key: string) => {
    const line = lineOf(key);
    running -= 1;
    line.running -= 1;
    toTheEnd(key, line);
    admitNext();
  };

  const wait = (line: Line, key: string, isContinued: boolean) =>
    new Promise<void>((resolve, reject) => {
      const leave = () => {
        waiting -= 1;
        line.waiting.delete(ticket);
        clearTimeout(timer);
      };
      const ticket: Ticket = {
        admit() {
          leave();
          resolve();
        },
      };
      const timer = isContinued
        ? undefined
        : setTimeout(() => {
            leave();
            if (line.running === 0 && line.waiting.size === 0) lines.delete(key);
            // It waited behind its own account, or behind others.
            reject(line.running > 0 ? tooMany() : busy());
          }, limits.waitMaxMs);
      waiting += 1;
      line.waiting.add(ticket);
    });

  return {
    /**
     * Runs the work when it is the key's turn. Too much work of one key fails with 429, of all keys
     * with 503. Work that continues admitted work is never refused.
     */
    async run<T>(
      key: string,
      work: () => Promise<T>,
      { isContinued = false }: { isContinued?: boolean } = {},
    ): Promise<T> {
      const line = lineOf(key);
      const isFree = running < limits.atOnceMax && line.running < limits.atOncePerKeyMax;
      if (isFree && line.waiting.size === 0) begin(key, line);
      else {
        if (!isContinued && line.waiting.size >= limits.waitingPerKeyMax) throw tooMany();
        if (!isContinued && waiting >= limits.waitingMax) {
          if (line.running === 0 && line.waiting.size === 0) lines.delete(key);
          throw busy();
        }
        await wait(line, key, isContinued);
      }
      try {
        return await work();
      } finally {
        end(key);
      }
    },
    usage: (): { running: number; waiting: number } => ({ running, waiting }),
  };
}

const tooMany = () =>
  new Problem(
    'large_request_limit_reached',
    'Too many large requests of this account are under way. Nothing was charged; send fewer at once.',
    { details: { retry_after_ms: RETRY_AFTER_MS } },
  );

const busy = () =>
  new Problem('overloaded', 'The server is busy. Nothing was charged; try again in a few seconds.');
