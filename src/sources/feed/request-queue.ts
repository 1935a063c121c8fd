// Who may ask the marketplace when: so many at once, so many each second, and a line that is not endless.
// Someone who waits for an answer goes before the background.
import { monotonicMs } from '../../foundation/clock.ts';

export type RequestQueueSettings = {
  atOnceMax: number;
  /** On average; a tenth of a second's worth may go in one burst. */
  perSecond: number;
  waitingMax: number;
};

export type RequestQueue = {
  /** Gives the way to end the turn; null when too many wait already. Rejects when the signal aborts. */
  take(options: { signal: AbortSignal; isUrgent: boolean }): Promise<(() => void) | null>;
  /** Lets nobody begin for a while. */
  pause(ms: number): void;
  waiting(): number;
};

type Waiting = { begin: (end: () => void) => void };

export function createRequestQueue(settings: RequestQueueSettings): RequestQueue {
  const { atOnceMax, perSecond, waitingMax } = settings;
  const burst = Math.max(1, perSecond / 10);
  // Sets keep the order of arrival, and whoever gives up leaves without a search.
  const urgent = new Set<Waiting>();
  const patient = new Set<Waiting>();
  let underWay = 0;
  let allowance = burst;
  let countedMs = monotonicMs();
  let pausedUntilMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const waiting = () => urgent.size + patient.size;

  /** How long until one more may begin; 0 when it may now. */
  const waitMs = (): number => {
    const nowMs = monotonicMs();
    allowance = Math.min(burst, allowance + ((nowMs - countedMs) * perSecond) / 1_000);
    countedMs = nowMs;
    const shortOf = Math.max(0, 1 - allowance);
    return Math.max(pausedUntilMs - nowMs, (shortOf * 1_000) / perSecond, 0);
  };

  const advance = (): void => {
    clearTimeout(timer);
    while (waiting() > 0 && underWay < atOnceMax) {
      const ms = waitMs();
      if (ms > 0) {
        timer = setTimeout(advance, Math.ceil(ms));
        return;
      }
      const line = urgent.size > 0 ? urgent : patient;
      const [next] = line as Set<Waiting>;
      line.delete(next as Waiting);
      allowance -= 1;
      underWay += 1;
      next?.begin(once(endTurn));
    }
  };

  const endTurn = () => {
    underWay -= 1;
    advance();
  };

  return {
    waiting,
    pause(ms) {
      pausedUntilMs = Math.max(pausedUntilMs, monotonicMs() + ms);
    },
    take({ signal, isUrgent }) {
      if (waiting() >= waitingMax) return Promise.resolve(null);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const line = isUrgent ? urgent : patient;
        const giveUp = () => {
          line.delete(own);
          reject(signal.reason);
        };
        const own: Waiting = {
          begin(end) {
            signal.removeEventListener('abort', giveUp);
            resolve(end);
          },
        };
        signal.addEventListener('abort', giveUp, { once: true });
        line.add(own);
        advance();
      });
    },
  };
}

function once(act: () => void): () => void {
  let isDone = false;
  return () => {
    if (isDone) return;
    isDone = true;
    act();
  };
}
