// Which loops of this process fail, since when and why: for /readyz and the metrics.
import { monotonicMs } from '../foundation/clock.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { SECOND_MS } from '../foundation/time.ts';

export type LoopHealth = ReturnType<typeof createLoopHealth>;

export type FailingLoop = { loop: string; forSeconds: number; reason: string };

/** A loop counts as failing after this many rounds in a row: one lost connection is no news. */
const FAILING_ROUNDS = 3;

export function createLoopHealth(
  metrics: Pick<Metrics, 'loopFailures'>,
  nowMs: () => number = monotonicMs,
) {
  const failures = new Map<string, { rounds: number; sinceMs: number; reason: string }>();
  return {
    succeeded(loop: string): void {
      failures.delete(loop);
    },
    failed(loop: string, error: unknown): void {
      metrics.loopFailures.inc({ loop });
      const { rounds = 0, sinceMs = nowMs() } = failures.get(loop) ?? {};
      const reason = error instanceof Error ? error.message : String(error);
      failures.set(loop, { rounds: rounds + 1, sinceMs, reason });
    },
    /** Loops whose last rounds all failed, the longest failing first. */
    failing(): FailingLoop[] {
      return [...failures]
        .filter(([, { rounds }]) => rounds >= FAILING_ROUNDS)
        .sort(([, a], [, b]) => a.sinceMs - b.sinceMs)
        .map(([loop, { sinceMs, reason }]) => ({
          loop,
          forSeconds: Math.round((nowMs() - sinceMs) / SECOND_MS),
          reason,
        }));
    },
  };
}
