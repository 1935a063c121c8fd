// Change detection: observation pairs per second on one core, on data of the simulated marketplace.
import { detectChanges } from '../src/events/change-detection.ts';
import { DEFAULT_RULES } from '../src/events/rule.ts';
import type { WatchState } from '../src/events/watch-state.ts';
import { monotonicMs, realClock } from '../src/foundation/clock.ts';
import { HOUR_MS } from '../src/foundation/time.ts';
import { type Observation, observationOf } from '../src/history/observation.ts';
import { createSimulatedSource } from '../src/sources/simulated/simulated-source.ts';
import { type Figure, ROUNDS } from './figure.ts';

const PRODUCTS = 200;
const HOURS = 200;
const TO_REACH = 50_000;

/** Picks products of all ranks; best sellers have the most offers. */
function observationsOf(product: number): Observation[] {
  const source = createSimulatedSource({ clock: realClock });
  const { code } = source.productAt(product * 577);
  const nowMs = realClock.nowMs();
  return Array.from({ length: HOURS }, (_, hour) => {
    const snapshot = source.snapshotAt(code, nowMs - (HOURS - hour) * HOUR_MS);
    if (snapshot === null) throw new Error(`no product ${code}`);
    return observationOf(snapshot);
  });
}

export async function detectBench(): Promise<Figure[]> {
  const histories = Array.from({ length: PRODUCTS }, (_, index) => observationsOf(index));
  const rates: number[] = [];
  let events = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const startedAtMs = monotonicMs();
    let pairs = 0;
    for (const observations of histories) {
      let state: WatchState | null = null;
      for (const observation of observations) {
        const detected: ReturnType<typeof detectChanges> = detectChanges({
          state,
          before: null,
          observation,
          watchedSeller: null,
          rules: DEFAULT_RULES,
          estimatedUnitsPerDay: null,
        });
        state = detected.state;
        events += detected.events.length;
        pairs++;
      }
    }
    rates.push(Math.round(pairs / ((monotonicMs() - startedAtMs) / 1000)));
  }
  const sorted = rates.toSorted((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  process.stdout.write(
    `  detection: ${median} pairs per second (${sorted[0]}–${sorted.at(-1)}), ${events / ROUNDS} events; to reach ${TO_REACH}: ${median >= TO_REACH ? 'reached' : 'NOT REACHED'}\n`,
  );
  const ratio = Math.round((median / TO_REACH) * 100) / 100;
  return [
    {
      name: 'observation pairs per second over 50,000',
      ratio,
      range: [ratio, ratio],
      toReach: 1,
      reached: ratio >= 1,
      a: rates,
      b: [],
    },
  ];
}
