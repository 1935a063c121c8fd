// Reading looks back whole, for short spans and tests; who may meet a long history walks over it (walk-looks).
import type { Observation } from './observation.ts';
import { ALL_TIME, type Span, type WalkDeps, walkObservations } from './walk-observations.ts';

/** The looks of a product inside a span, ascending. */
export async function readObservations(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): Promise<Observation[]> {
  const observations: Observation[] = [];
  for await (const observation of walkObservations(deps, code, span))
    observations.push(observation);
  return observations;
}
