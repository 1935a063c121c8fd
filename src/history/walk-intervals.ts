// Walks over who held the buybox of a product, one interval after the other.
import { type BoxInterval, type BuyboxShare, createBuyboxShare } from './buybox-share.ts';
import { OBSERVED_SPAN_SECONDS } from './observed-span.ts';
import { type WalkDeps, walkBuybox } from './walk-observations.ts';

/**
 * The intervals of a range, ascending. An observation before the range may hold into it, so the
 * walk begins that much earlier. `share` has the sums once the walk has ended.
 */
export function walkIntervals(
  deps: WalkDeps,
  code: string,
  range: { fromAtSeconds: number | null; toAtSeconds: number },
): { intervals: AsyncGenerator<BoxInterval, void, undefined>; share: BuyboxShare } {
  const share = createBuyboxShare(range);
  const { fromAtSeconds, toAtSeconds } = range;
  const startAtSeconds = Math.max(0, (fromAtSeconds ?? 0) - OBSERVED_SPAN_SECONDS);
  const span = { fromAtSeconds: startAtSeconds, toAtSeconds };
  async function* walk(): AsyncGenerator<BoxInterval, void, undefined> {
    for await (const { atSeconds, buybox } of walkBuybox(deps, code, span)) {
      yield* share.add(atSeconds, buybox);
    }
    yield* share.finish();
  }
  return { intervals: walk(), share };
}
