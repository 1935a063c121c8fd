// The input of every part of change detection, and the list to which it adds its events.
import { type DetectedEvent, detected, type ObservedValue, observed } from './detected-event.ts';
import type { EventKind } from './kind.ts';
import type { ObservedState } from './observed-state.ts';
import type { Rules } from './rule.ts';

export type Comparison = {
  readonly observation: ObservedState;
  /** The watcher's previous observation: used for `before` values only, never to decide. */
  readonly before: ObservedState | null;
  /** When the state last changed. */
  readonly stateAtSeconds: number;
  readonly watchedSeller: string | null;
  readonly rules: Rules;
  readonly estimatedUnitsPerDay: number | null;
  /** Created with the first event: most observations have none. */
  events: DetectedEvent[] | null;
};

type EventDraft = {
  kind: EventKind;
  before: ObservedValue;
  value: ObservedValue['value'];
} & Partial<Pick<DetectedEvent, 'rule' | 'reason' | 'sellerName' | 'shares'>>;

/** Adds an event of this observation. */
export function emit(comparison: Comparison, { value, ...draft }: EventDraft): void {
  comparison.events ??= [];
  const after = observed(value, comparison.observation.atSeconds);
  comparison.events.push(detected({ ...draft, after }));
}

/**
 * Time of the watcher's previous observation, or of the last state change if that is unavailable.
 */
export const observedBeforeAtSeconds = ({ before, stateAtSeconds }: Comparison): number =>
  before === null ? stateAtSeconds : before.atSeconds;
