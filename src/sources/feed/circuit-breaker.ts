// When to leave a failing marketplace alone: after some failures in a row only a probe goes out now and then,
// until one succeeds. It knows no clock and no network; who asks tells it the time and what came of it.

export type BreakerSettings = {
  /** Failures in a row after which it opens. */
  failuresMax: number;
  /** Between opening and the first probe; doubled after each that fails. */
  firstProbeMs: number;
  /** Between probes at most. */
  probeEveryMaxMs: number;
};

export type Admission =
  | { admitted: true }
  /** Come back after this. */
  | { admitted: false; retryAfterMs: number };

export type CircuitBreaker = {
  isOpen(): boolean;
  admit(nowMs: number): Admission;
  succeeded(): void;
  failed(nowMs: number): void;
};

export function createCircuitBreaker(
  settings: BreakerSettings,
  onChange: (isOpen: boolean) => void,
): CircuitBreaker {
  let failures = 0;
  let isOpen = false;
  let probeEveryMs = settings.firstProbeMs;
  let nextProbeMs = 0;

  return {
    isOpen: () => isOpen,
    admit(nowMs) {
      if (!isOpen) return { admitted: true };
      if (nowMs < nextProbeMs) return { admitted: false, retryAfterMs: nextProbeMs - nowMs };
      // Counted from the start of a probe: one that hangs does not put off the next.
      probeEveryMs = Math.min(probeEveryMs * 2, settings.probeEveryMaxMs);
      nextProbeMs = nowMs + probeEveryMs;
      return { admitted: true };
    },
    succeeded() {
      failures = 0;
      if (!isOpen) return;
      isOpen = false;
      onChange(false);
    },
    failed(nowMs) {
      failures += 1;
      if (isOpen || failures < settings.failuresMax) return;
      isOpen = true;
      probeEveryMs = Math.min(settings.firstProbeMs, settings.probeEveryMaxMs);
      nextProbeMs = nowMs + probeEveryMs;
      onChange(true);
    },
  };
}
