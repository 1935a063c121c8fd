// The clock; nothing else calls Date.now. Business time may run faster than real time (time lapse);
// machine time (limits, timeouts, leases) is always real.

export type Clock = {
  /** Business time in milliseconds since 1970: schedules, charges, periods, what customers see. */
  nowMs(): number;
  /** How many business seconds pass in a real one. */
  readonly speed: number;
};

/** Business time and real time at one moment, from which time lapse is counted. */
export type ClockAnchor = { businessMs: number; realMs: number; speed: number };

export const realClock: Clock = { nowMs: () => Date.now(), speed: 1 };

/** Business time at a moment of real time, counted from an anchor. */
export function businessMsAt(anchor: ClockAnchor, realMs: number): number {
  return Math.floor(anchor.businessMs + (realMs - anchor.realMs) * anchor.speed);
}

/**
 * A clock in time lapse. Business time never goes back, so it follows only an anchor that is ahead.
 */
export type LapseClock = Clock & { anchor(): ClockAnchor; follow(other: ClockAnchor): void };

export function lapseClock(first: ClockAnchor): LapseClock {
  let anchor = first;
  return {
    nowMs: () => businessMsAt(anchor, Date.now()),
    speed: first.speed,
    anchor: () => anchor,
    follow(other) {
      const nowMs = Date.now();
      if (
        other.speed === anchor.speed &&
        businessMsAt(other, nowMs) > businessMsAt(anchor, nowMs)
      ) {
        anchor = other;
      }
    },
  };
}

/** A clock that moves only when set: for tests, and for commands while the service is stopped. */
export type ManualClock = Clock & { setMs(ms: number): void; advanceMs(ms: number): void };

export function manualClock(startMs: number): ManualClock {
  let nowMs = startMs;
  return {
    nowMs: () => nowMs,
    speed: 1,
    setMs: (ms) => {
      nowMs = ms;
    },
    advanceMs: (ms) => {
      nowMs += ms;
    },
  };
}

/** Real time of day, for anything that must never follow time lapse. */
export function realNowMs(): number {
  return Date.now();
}

/** Real time that only moves forward, for measuring durations and ages. */
export function monotonicMs(): number {
  return performance.now();
}

/** How every time is written on the wire and in logs. */
export function isoTime(ms: number): string {
  if (ms !== lastWrittenMs) {
    lastWritten = new Date(ms).toISOString();
    lastWrittenMs = ms;
  }
  return lastWritten;
}

// Hundreds of entries are written with the time of one millisecond.
let lastWrittenMs = Number.NaN;
let lastWritten = '';

/** Resolves after real time has passed; rejects with the signal's reason when aborted. */
export function sleepMs(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
