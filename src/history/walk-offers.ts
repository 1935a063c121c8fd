// Walks over the offers of a product, one point of one seller after the other.
import { createPause } from '../background/slices.ts';
import { OBSERVED_SPAN_SECONDS } from './observed-span.ts';
import { createOfferTimeline, type OfferPoint } from './offer-timeline.ts';
import { type Span, type WalkDeps, walkObservations } from './walk-observations.ts';

export type OfferTimeline = ReturnType<typeof createOfferTimeline>;

/**
 * The points of a range, ascending. A list before the range shows who was there at its start, so
 * the walk begins that much earlier. `timeline` has the sums once the walk has ended.
 */
export function walkOffers(
  deps: WalkDeps,
  code: string,
  { changesOnly, ...range }: Span & { changesOnly: boolean },
): { points: AsyncGenerator<OfferPoint, void, undefined>; timeline: OfferTimeline } {
  const timeline = createOfferTimeline(range, { changesOnly });
  const startAtSeconds = Math.max(0, range.fromAtSeconds - OBSERVED_SPAN_SECONDS);
  const span = { fromAtSeconds: startAtSeconds, toAtSeconds: range.toAtSeconds };
  async function* walk(): AsyncGenerator<OfferPoint, void, undefined> {
    const pause = createPause();
    for await (const observation of walkObservations(deps, code, span)) {
      yield* timeline.add(observation);
      await pause();
    }
    yield* timeline.finish();
  }
  return { points: walk(), timeline };
}
