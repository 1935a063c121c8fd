// A circuit breaker for a failing marketplace: after several failures in a row only an occasional
// probe is sent until one succeeds. Pure: the caller passes the time and reports the outcomes.

export type BreakerSettings = {
  /** Consecutive failures that open the breaker. */
  failuresMax: number;
  /** From opening to the first probe; doubled after each probe. */
  firstProbeMs: number;
  /** Upper limit of the time between probes. */
  probeEveryMaxMs: number;
};

export type Admission = { admitted: true } | { admitted: false; retryAfterMs: number };

export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

export function createCircuitBreaker(
  settings: BreakerSettings,
  onChange: (isOpen: boolean) => void,
) {
  let failures = 0;
  let isOpen = false;
  let probeEveryMs = settings.firstProbeMs;
  let nextProbeAtMs = 0;

  return {
    isOpen: () => isOpen,
    admit(nowMs: number): Admission {
      if (!isOpen) return { admitted: true };
      if (nowMs < nextProbeAtMs) return { admitted: false, retryAfterMs: nextProbeAtMs - nowMs };
      // Counted from the start of a probe, so that a hanging probe does not delay the next one.
      probeEveryMs = Math.min(probeEveryMs * 2, settings.probeEveryMaxMs);
      nextProbeAtMs = nowMs + probeEveryMs;
      return { admitted: true };
    },
    succeeded(): void {
      failures = 0;
      if (!isOpen) return;
      isOpen = false;
      onChange(false);
    },
    failed(nowMs: number): void {
      failures += 1;
      if (isOpen || failures < settings.failuresMax) return;
      isOpen = true;
      probeEveryMs = Math.min(settings.firstProbeMs, settings.probeEveryMaxMs);
      nextProbeAtMs = nowMs + probeEveryMs;
      onChange(true);
    },
  };
}
