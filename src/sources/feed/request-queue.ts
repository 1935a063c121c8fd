// Limits the requests to a feed: how many run at once, how many start per second, and how many
// wait. Requests that a customer waits for go before background requests.
import { monotonicMs } from '../../foundation/clock.ts';
import { HOUR_MS, SECOND_MS } from '../../foundation/time.ts';
import type { SharedRate } from '../shared-rate.ts';

export type RequestQueueSettings = {
  atOnceMax: number;
  /** On average; a tenth of a second's worth may start in one burst. */
  perSecond: number;
  waitingMax: number;
  /** Kept together with other processes; without it this process has the whole rate. */
  rate?: SharedRate;
};

export type RequestQueue = ReturnType<typeof createRequestQueue>;

type Release = () => void;
type Waiter = { start: (release: Release) => void };

export function createRequestQueue(settings: RequestQueueSettings) {
  const { atOnceMax, perSecond, waitingMax } = settings;
  const burst = Math.max(1, perSecond / 10);
  // A set keeps the order of arrival and removes an aborted waiter without a search.
  const urgent = new Set<Waiter>();
  const background = new Set<Waiter>();
  let inFlight = 0;
  let allowance = settings.rate === undefined ? burst : 0;
  let isReserving = false;
  let countedMs = monotonicMs();
  let pausedUntilMs = 0;
  let timer: NodeJS.Timeout | undefined;

  const waiting = () => urgent.size + background.size;

  /** Milliseconds until one more request may start; 0: now. */
  const waitMs = (): number => {
    const nowMs = monotonicMs();
    if (settings.rate === undefined) {
      allowance = Math.min(burst, allowance + ((nowMs - countedMs) * perSecond) / 1_000);
    }
    countedMs = nowMs;
    const shortOf = Math.max(0, 1 - allowance);
    return Math.max(pausedUntilMs - nowMs, (shortOf * 1_000) / perSecond, 0);
  };

  /** Reserves starts for those that wait, at most a tenth of a second's worth. */
  const reserveSome = async (rate: SharedRate): Promise<void> => {
    if (isReserving) return;
    isReserving = true;
    const count = Math.ceil(Math.min(waiting(), burst));
    const everyMs = SECOND_MS / perSecond;
    const { waitMs: untilMs } = await rate.reserve({
      count,
      everyMs,
      burstMs: SECOND_MS / 10,
      // However long it takes: those that wait give up by themselves.
      withinMs: HOUR_MS,
    });
    setTimeout(
      () => {
        isReserving = false;
        allowance = count;
        advance();
      },
      Math.ceil(Math.max(0, untilMs)),
    );
  };

  const advance = (): void => {
    clearTimeout(timer);
    while (waiting() > 0 && inFlight < atOnceMax) {
      const ms = waitMs();
      if (settings.rate !== undefined && allowance < 1) {
        void reserveSome(settings.rate);
        return;
      }
      if (ms > 0) {
        timer = setTimeout(advance, Math.ceil(ms));
        return;
      }
      const line = urgent.size > 0 ? urgent : background;
      const [next] = line as Set<Waiter>;
      line.delete(next as Waiter);
      allowance -= 1;
      inFlight += 1;
      next?.start(once(release));
    }
  };

  const release = () => {
    inFlight -= 1;
    advance();
  };

  return {
    waiting,
    /** Starts no request for a while. */
    pause(ms: number): void {
      pausedUntilMs = Math.max(pausedUntilMs, monotonicMs() + ms);
      void settings.rate?.pause(ms);
    },
    /**
     * Waits for a slot and resolves to the function that releases it; null if too many wait
     * already. Rejects when the signal aborts.
     */
    acquire(options: { signal: AbortSignal; isUrgent: boolean }): Promise<Release | null> {
      const { signal, isUrgent } = options;
      if (waiting() >= waitingMax) return Promise.resolve(null);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const line = isUrgent ? urgent : background;
        const onAbort = () => {
          line.delete(waiter);
          reject(signal.reason);
        };
        const waiter: Waiter = {
          start(releaseSlot) {
            signal.removeEventListener('abort', onAbort);
            resolve(releaseSlot);
          },
        };
        signal.addEventListener('abort', onAbort, { once: true });
        line.add(waiter);
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
