// The guard of docs/decisions/0008 in simulated outages: what it would wrongly believe, and how soon it believes what is
// true. Pure: no database and no clock.
import {
  evidenceBetween,
  FEW_WATCHED_BELOW,
  isAlarmed,
  judgeLoss,
  type LookTally,
  type LossVerdict,
  stretchOf,
} from '../../src/events/crawl-guard.ts';

type Product = {
  phase: number;
  spread: number;
  hasOffers: boolean;
  failures: number;
  held: { sinceSeconds: number; observations: number } | null;
  confirmedAt: number | null;
};

const STRETCHES_READ = 500;

/** Tallies as `look_tallies` keeps them; time only goes on. */
function createTallies() {
  const all: LookTally[] = [];
  return {
    add(atSeconds: number, isLoss: boolean) {
      const stretch = stretchOf(atSeconds);
      const last = all.at(-1);
      if (last?.stretch === stretch) {
        last.looks++;
        if (isLoss) last.losses++;
      } else all.push({ stretch, looks: 1, losses: isLoss ? 1 : 0 });
    },
    read: () => all.slice(-STRETCHES_READ),
  };
}

function judge(
  product: Product,
  tallies: readonly LookTally[],
  by: { atSeconds: number; beforeStretch: number; products: number },
): LossVerdict {
  const { atSeconds, beforeStretch } = by;
  const since = product.held?.sinceSeconds ?? atSeconds;
  return judgeLoss({
    ...{ losesProduct: true, atSeconds, held: product.held, isAlarmed: isAlarmed(tallies) },
    evidence: evidenceBetween(tallies, { afterStretch: stretchOf(since), beforeStretch }),
    ...{ isFewWatched: by.products < FEW_WATCHED_BELOW, spread: product.spread },
  });
}

function note(product: Product, verdict: LossVerdict, atSeconds: number): void {
  if (verdict.kind === 'held') {
    const { heldSinceSeconds: sinceSeconds, observations } = verdict;
    product.held = { sinceSeconds, observations };
  } else product.held = null;
  if (verdict.kind !== 'confirmed') return;
  product.hasOffers = false;
  product.confirmedAt ??= atSeconds;
}

export type Market = {
  products: number;
  intervalSeconds: number;
  endSeconds: number;
  /** Whether the source shows a product at a time. */
  isShown: (product: number, atSeconds: number) => boolean;
};

const newProducts = ({ products, intervalSeconds }: Market): Product[] =>
  Array.from({ length: products }, (_, index) => ({
    // Spread over the interval as hashes are: evenly, and in no order.
    phase: Math.floor(((index * 0.618_033_988_749_895) % 1) * intervalSeconds),
    spread: (index * 0.381_966) % 1,
    ...{ hasOffers: true, failures: 0, held: null, confirmedAt: null },
  }));

/** Collected on the schedule, one by one; returns when each loss was believed. */
export function simulateSource(market: Market): (number | null)[] {
  const { intervalSeconds, endSeconds } = market;
  const products = newProducts(market);
  const tallies = createTallies();
  const due = new Map<number, number[]>();
  const put = (index: number, atSeconds: number) => {
    const at = Math.floor(atSeconds);
    const others = due.get(at);
    if (others === undefined) due.set(at, [index]);
    else others.push(index);
  };
  const nextSlot = ({ phase }: Product, at: number) =>
    phase + (Math.floor((at - phase) / intervalSeconds) + 1) * intervalSeconds;
  for (const [index, { phase }] of products.entries()) put(index, phase);
  for (let at = 0; at < endSeconds; at++) {
    for (const index of due.get(at) ?? []) {
      const product = products[index] as Product;
      if (market.isShown(index, at)) {
        tallies.add(at, false);
        Object.assign(product, { hasOffers: true, failures: 0, held: null });
        put(index, nextSlot(product, at));
      } else if (!product.hasOffers) put(index, at + 86_400);
      else {
        if (product.held === null && product.failures === 0) tallies.add(at, true);
        const by = { atSeconds: at, beforeStretch: stretchOf(at), products: products.length };
        const verdict = judge(product, tallies.read(), by);
        note(product, verdict, at);
        product.failures = verdict.kind === 'failed' ? product.failures + 1 : 0;
        if (verdict.kind === 'held') put(index, Math.max(at + 1, verdict.repeatAtSeconds));
        else if (verdict.kind === 'failed') {
          put(index, at + Math.min(30 * 2 ** Math.min(product.failures - 1, 5), 300));
        } else put(index, at + 86_400);
      }
    }
    due.delete(at);
  }
  return products.map(({ confirmedAt }) => confirmedAt);
}

/** Crawled once an interval and ingested, in parts of `linesPerPart`; one crawl takes `crawlSeconds`. */
export function simulateIngest(
  market: Market,
  { linesPerPart, crawlSeconds }: { linesPerPart: number; crawlSeconds: number },
): (number | null)[] {
  const products = newProducts(market);
  const tallies = createTallies();
  for (let start = 0; start < market.endSeconds; start += market.intervalSeconds) {
    for (let from = 0; from < products.length; from += linesPerPart) {
      const part = products.slice(from, from + linesPerPart).map((product, offset) => {
        const at = start + Math.floor(((from + offset) / products.length) * crawlSeconds);
        return { product, at, isShown: market.isShown(from + offset, at) };
      });
      // All of a part is counted before any of it is judged.
      for (const { product, at, isShown } of part) {
        if (isShown || product.hasOffers) tallies.add(at, !isShown);
      }
      for (const { product, at, isShown } of part) {
        if (isShown) Object.assign(product, { hasOffers: true, held: null });
        else if (product.hasOffers) {
          const upTo = tallies.read().filter(({ stretch }) => stretch <= stretchOf(at));
          const beforeStretch = stretchOf(at) + 1;
          const by = { atSeconds: at, beforeStretch, products: products.length };
          note(product, judge(product, upTo, by), at);
        }
      }
    }
  }
  return products.map(({ confirmedAt }) => confirmedAt);
}
