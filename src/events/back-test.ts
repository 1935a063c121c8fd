// Counts how often each kind of event would have fired over stored observations, with some rules
// and at the cadence of a tier.
import { detectChanges } from './change-detection.ts';
import {
  type ConditionState,
  evaluateConditions,
  type WatcherCondition,
} from './condition-state.ts';
import { type DetectedKind, EVENT_KINDS, isDetectedKind } from './kind.ts';
import { afterObserving, type ObservedState } from './observed-state.ts';
import type { Rules } from './rule.ts';
import type { WatchState } from './watch-state.ts';

export type BackTestInput = {
  /** As for a watcher, only the first observation of each slot counts. Slots start at the phase. */
  slot: { intervalSeconds: number; phaseSeconds: number };
  /** Earlier events are not counted: the observations before this set the baseline. */
  fromAtSeconds: number;
  watchedSeller: string | null;
  rules: Rules;
  estimatedUnitsPerDay: number | null;
  /** Conditions of the customer's own, whose matches are counted too. */
  conditions?: readonly WatcherCondition[];
};

export type ConditionMatches = { count: number; lastAtSeconds: number | null };

export type KindCounts = Record<DetectedKind, number>;

/** Takes one observation at a time, so that the caller can yield to other work in between. */
export function startBackTest(input: BackTestInput) {
  const { intervalSeconds, phaseSeconds } = input.slot;
  const counts = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, 0])) as KindCounts;
  let state: WatchState | null = null;
  let before: ObservedState | null = null;
  /**
   * As the catalogue keeps it: also through an empty list, which hides it from watchers only until
   * there are offers again.
   */
  let lastBox: ObservedState['buybox'];
  let lastSlot = Number.NEGATIVE_INFINITY;
  let conditionState: ConditionState | null = null;
  const matches: ConditionMatches = { count: 0, lastAtSeconds: null };
  return {
    matches: matches as Readonly<ConditionMatches>,
    /** Events counted so far. */
    counts: counts as Readonly<KindCounts>,
    /** Adds the next observation; they must ascend by time. */
    add(seen: ObservedState): void {
      // Watchers see the product's merged state, which observations between their slots also
      // change.
      const observation = afterObserving(before && { ...before, buybox: lastBox }, seen);
      before = observation;
      if (seen.buybox !== undefined) lastBox = seen.buybox;
      const slot = Math.floor((observation.atSeconds - phaseSeconds) / intervalSeconds);
      if (slot <= lastSlot) return;
      lastSlot = slot;
      const detection = detectChanges({ ...input, state, before: null, observation });
      const isCounted = observation.atSeconds >= input.fromAtSeconds;
      for (const { kind } of detection.events) {
        if (isCounted && isDetectedKind(kind)) counts[kind]++;
      }
      state = detection.state;
      const { conditions = [] } = input;
      if (conditions.length === 0) return;
      const evaluated = evaluateConditions({
        ...input,
        conditions,
        state: conditionState,
        observation,
      });
      conditionState = evaluated.state;
      if (!isCounted || evaluated.matched.length === 0) return;
      matches.count += evaluated.matched.length;
      matches.lastAtSeconds = observation.atSeconds;
    },
  };
}
