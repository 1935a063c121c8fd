// A gate for heavy work of many accounts: each account's work waits behind its own, accounts take turns, and neither one
// account nor all together may wait or run without end.
import { Problem } from '../foundation/problem.ts';

export type FairGateLimits = {
  /** Under way at once: of all, and of one key. */
  atOnceMax: number;
  atOncePerKeyMax: number;
  /** Waiting at once, and for how long. */
  waitingMax: number;
  waitingPerKeyMax: number;
  waitMaxMs: number;
};

export type FairGate = {
  /**
   * Runs the work when it is the key's turn. Too many of the same key are refused with 429, too many of all with 503.
   * Work that continues something already begun is never refused: whoever began it was admitted.
   */
  run<T>(key: string, work: () => Promise<T>, options?: { isContinued?: boolean }): Promise<T>;
  usage(): { underWay: number; waiting: number };
};

type Ticket = { admit(): void };
type Line = { underWay: number; waiting: Set<Ticket> };

const RETRY_AFTER_MS = 2_000;

export function createFairGate(limits: FairGateLimits): FairGate {
  /** In the order of their turns: whoever had one goes to the end. */
  const lines = new Map<string, Line>();
  let underWay = 0;
  let waiting = 0;

  const lineOf = (key: string): Line => {
    const line = lines.get(key) ?? { underWay: 0, waiting: new Set() };
    lines.set(key, line);
    return line;
  };

  const toTheEnd = (key: string, line: Line) => {
    lines.delete(key);
    if (line.underWay > 0 || line.waiting.size > 0) lines.set(key, line);
  };

  const begin = (key: string, line: Line) => {
    underWay += 1;
    line.underWay += 1;
    toTheEnd(key, line);
  };

  const admitNext = () => {
    while (underWay < limits.atOnceMax) {
      const next = [...lines].find(
        ([, line]) => line.waiting.size > 0 && line.underWay < limits.atOncePerKeyMax,
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
    underWay -= 1;
    line.underWay -= 1;
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
            if (line.underWay === 0 && line.waiting.size === 0) lines.delete(key);
            // Behind its own account's work it has waited, or behind everybody's.
            reject(line.underWay > 0 ? tooMany() : busy());
          }, limits.waitMaxMs);
      waiting += 1;
      line.waiting.add(ticket);
    });

  return {
    async run(key, work, { isContinued = false } = {}) {
      const line = lineOf(key);
      const isFree = underWay < limits.atOnceMax && line.underWay < limits.atOncePerKeyMax;
      if (isFree && line.waiting.size === 0) begin(key, line);
      else {
        if (!isContinued && line.waiting.size >= limits.waitingPerKeyMax) throw tooMany();
        if (!isContinued && waiting >= limits.waitingMax) {
          if (line.underWay === 0 && line.waiting.size === 0) lines.delete(key);
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
    usage: () => ({ underWay, waiting }),
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
