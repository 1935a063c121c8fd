// One look held against what is remembered: what every part of the detection is given, and where it tells.
import { type DetectedEvent, detected, type ObservedValue, observed } from './detected-event.ts';
import type { EventKind } from './kind.ts';
import type { ObservedState } from './observed-state.ts';
import type { Rules } from './rule.ts';

export type Comparison = {
  readonly observation: ObservedState;
  /** The watcher's look before: only tells what was, decides nothing. */
  readonly before: ObservedState | null;
  /** When the state was last moved. */
  readonly stateAtSeconds: number;
  readonly watchedSeller: string | null;
  readonly rules: Rules;
  readonly estimatedUnitsPerDay: number | null;
  /** Made when the first event is: most looks have none. */
  events: DetectedEvent[] | null;
};

type EventDraft = {
  kind: EventKind;
  before: ObservedValue;
  value: ObservedValue['value'];
} & Partial<Pick<DetectedEvent, 'rule' | 'reason' | 'sellerName' | 'shares'>>;

/** An event of this look. */
export function emit(comparison: Comparison, { value, ...draft }: EventDraft): void {
  comparison.events ??= [];
  const after = observed(value, comparison.observation.atSeconds);
  comparison.events.push(detected({ ...draft, after }));
}

/** When the watcher looked last, as far as it is known. */
export const observedBeforeAtSeconds = ({ before, stateAtSeconds }: Comparison): number =>
  before === null ? stateAtSeconds : before.atSeconds;
