// How often each kind would have fired over looks that were kept, by given rules, at the cadence of a tier.
import { detectChanges } from './change-detection.ts';
import { EVENT_KINDS, type EventKind } from './kind.ts';
import type { ObservedLook } from './observed-look.ts';
import type { Rules } from './rule.ts';
import type { WatchState } from './watch-state.ts';

export type BackTest = {
  /** Ascending. */
  looks: Iterable<ObservedLook>;
  /** Of each slot the first look counts, as for a watcher; slots start at the phase. */
  slot: { intervalSeconds: number; phaseSeconds: number };
  /** Events before this are not counted: looks from before it set the baseline. */
  fromSeconds: number;
  watchedSeller: string | null;
  rules: Rules;
  estimatedUnitsPerDay: number | null;
};

export type KindCounts = Record<EventKind, number>;

export function backTest(input: BackTest): KindCounts {
  const { intervalSeconds, phaseSeconds } = input.slot;
  const counts = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, 0])) as KindCounts;
  let state: WatchState | null = null;
  let before: ObservedLook | null = null;
  let lastSlot = Number.NEGATIVE_INFINITY;
  for (const look of input.looks) {
    const slot = Math.floor((look.atSeconds - phaseSeconds) / intervalSeconds);
    if (slot <= lastSlot) continue;
    lastSlot = slot;
    const detection = detectChanges({ ...input, state, before, look });
    for (const { kind } of detection.events) {
      if (look.atSeconds >= input.fromSeconds) counts[kind]++;
    }
    state = detection.state;
    before = look;
  }
  return counts;
}
