// One look held against what is remembered: what every part of the detection is given, and where it tells.
import { type DetectedEvent, detected, type Observation, observed } from './detected-event.ts';
import type { EventKind } from './kind.ts';
import type { ObservedLook } from './observed-look.ts';
import type { Rules } from './rule.ts';

export type Comparison = {
  readonly look: ObservedLook;
  /** The watcher's look before: only tells what was, decides nothing. */
  readonly before: ObservedLook | null;
  /** When the state was last moved. */
  readonly stateAtSeconds: number;
  readonly watchedSeller: string | null;
  readonly rules: Rules;
  readonly estimatedUnitsPerDay: number | null;
  /** Made when the first event is: most looks have none. */
  events: DetectedEvent[] | null;
};

type Told = {
  kind: EventKind;
  before: Observation;
  value: Observation['value'];
} & Partial<Pick<DetectedEvent, 'rule' | 'reason' | 'sellerName' | 'shares'>>;

/** An event of this look. */
export function tell(comparison: Comparison, { value, ...told }: Told): void {
  comparison.events ??= [];
  const after = observed(value, comparison.look.atSeconds);
  comparison.events.push(detected({ ...told, after }));
}

/** When the watcher looked last, as far as it is known. */
export const lookedBeforeAt = ({ before, stateAtSeconds }: Comparison): number =>
  before === null ? stateAtSeconds : before.atSeconds;
