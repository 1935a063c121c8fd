// `explain=true` on events: which two observations, which rule, which guard verdict and which
// version of the rules led to an event.
import { Type } from 'typebox';
import type { NewEvent } from '../events/events.ts';
import { type Explanation, rulesVersion } from '../events/explanation.ts';
import { AppliedRule, ObservedValue } from './event-payload.ts';
import { RulesSchema } from './rules-schema.ts';
import { nullable } from './wire.ts';

export const EventExplanation = Type.Object(
  {
    observations: Type.Object(
      { before: nullable(ObservedValue), after: nullable(ObservedValue) },
      { title: 'ComparedObservations', description: 'The two observations that were compared.' },
    ),
    rule: AppliedRule,
    rules: nullable(RulesSchema),
    rules_version: nullable(
      Type.String({ description: 'The same for the same thresholds; null if not recorded.' }),
    ),
    detection_version: nullable(
      Type.Integer({ description: 'The version of change detection; null if not recorded.' }),
    ),
    guard: nullable(
      Type.Object(
        {
          verdict: Type.String({ enum: ['no_loss', 'stated', 'confirmed'] }),
          meaning: Type.String(),
        },
        { title: 'GuardVerdict', description: 'How the crawl guard judged the snapshot.' },
      ),
    ),
    observed: nullable(
      Type.Object(
        { buybox: Type.Boolean(), offers: Type.Boolean(), rank: Type.Boolean() },
        {
          title: 'ObservedParts',
          description: 'The parts that the snapshot covered; the others kept their last values.',
        },
      ),
    ),
  },
  { title: 'EventExplanation' },
);

const MEANINGS: Readonly<Record<Explanation['guard'], string>> = {
  no_loss: 'The snapshot lost no product and not all of its offers, so it was believed at once.',
  stated: 'The product has no units left, and the source said so.',
  confirmed: 'The product or all its offers were gone; later snapshots confirmed it.',
};

/** Members that were not recorded with an older event are null. */
export function eventExplanation({ payload, explanation }: NewEvent): Record<string, unknown> {
  const { before, after, rule } = JSON.parse(payload).data;
  const stored: Explanation | null = explanation ? JSON.parse(explanation) : null;
  return {
    observations: { before, after },
    rule,
    rules: stored?.rules ?? null,
    rules_version: stored && rulesVersion(stored.rules),
    detection_version: stored?.version ?? null,
    guard: stored && { verdict: stored.guard, meaning: MEANINGS[stored.guard] },
    observed: stored?.observed ?? null,
  };
}
