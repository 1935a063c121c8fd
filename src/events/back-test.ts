// How often each kind would have fired over looks that were kept, by given rules, at the cadence of a tier.
import { detectChanges } from './change-detection.ts';
import { EVENT_KINDS, type EventKind } from './kind.ts';
import { afterObserving, type ObservedState } from './observed-state.ts';
import type { Rules } from './rule.ts';
import type { WatchState } from './watch-state.ts';

export type BackTestInput = {
  /** Of each slot the first look counts, as for a watcher; slots start at the phase. */
  slot: { intervalSeconds: number; phaseSeconds: number };
  /** Events before this are not counted: looks from before it set the baseline. */
  fromAtSeconds: number;
  watchedSeller: string | null;
  rules: Rules;
  estimatedUnitsPerDay: number | null;
};

export type KindCounts = Record<EventKind, number>;

export type BackTest = {
  /** The next look; ascending. */
  add(observation: ObservedState): void;
  /** So far. */
  counts: Readonly<KindCounts>;
};

/** Look by look, so that who runs it can give way to others in between. */
export function startBackTest(input: BackTestInput): BackTest {
  const { intervalSeconds, phaseSeconds } = input.slot;
  const counts = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, 0])) as KindCounts;
  let state: WatchState | null = null;
  let known: ObservedState | null = null;
  let lastSlot = Number.NEGATIVE_INFINITY;
  return {
    counts,
    add(seen) {
      // Those who watch see the product as it is known after a look, also after one between their slots.
      const observation = afterObserving(known, seen);
      known = observation;
      const slot = Math.floor((observation.atSeconds - phaseSeconds) / intervalSeconds);
      if (slot <= lastSlot) return;
      lastSlot = slot;
      const detection = detectChanges({ ...input, state, before: null, observation });
      for (const { kind } of detection.events) {
        if (observation.atSeconds >= input.fromAtSeconds) counts[kind]++;
      }
      state = detection.state;
    },
  };
}
