// The guard of docs/decisions/0008 in simulated outages: what it would wrongly believe, and how soon it believes what is
// true. Pure: no database and no clock.
import {
  bucketOf,
  type CrawlTally,
  evidenceBetween,
  FEW_WATCHED_BELOW,
  isAlarmed,
  judgeLoss,
  type LossVerdict,
} from '../../src/tracking/crawl-guard.ts';
import {
  countOthers,
  type OtherProducts,
  productsToRecheck,
} from '../../src/tracking/isolated-loss.ts';

type Product = {
  code: string;
  intervalSeconds: number;
  phase: number;
  dueAtMs: number;
  seenAtMs: number;
  readonly isLost: boolean;
  spread: number;
  hasOffers: boolean;
  failures: number;
  held: { firstHeldAtSeconds: number; observations: number } | null;
  confirmedAt: number | null;
};

const STRETCHES_READ = 500;

/** Tallies as `crawl_tallies` keeps them; time only goes on. */
function createTallies() {
  const all: CrawlTally[] = [];
  return {
    add(atSeconds: number, isLoss: boolean) {
      const bucket = bucketOf(atSeconds);
      const last = all.at(-1);
      if (last?.bucket === bucket) {
        last.snapshots++;
        if (isLoss) last.losses++;
      } else all.push({ bucket, snapshots: 1, losses: isLoss ? 1 : 0 });
    },
    read: () => all.slice(-STRETCHES_READ),
  };
}

function judge(
  product: Product,
  tallies: readonly CrawlTally[],
  by: {
    atSeconds: number;
    beforeBucket: number;
    products: number;
    census: (() => OtherProducts) | null;
  },
): LossVerdict {
  const { atSeconds, beforeBucket } = by;
  const alarmed = isAlarmed(tallies);
  const isAsked = product.held !== null && !alarmed;
  const census = by.census && (isAsked ? by.census() : { lost: 0, sound: 0, unseen: [] });
  const since = product.held?.firstHeldAtSeconds ?? atSeconds;
  return judgeLoss({
    ...{ losesProduct: true, atSeconds, held: product.held, isAlarmed: alarmed },
    evidence: evidenceBetween(tallies, { afterBucket: bucketOf(since), beforeBucket }),
    ...{ isFewWatched: by.products < FEW_WATCHED_BELOW, spread: product.spread, census },
  });
}

function note(product: Product, verdict: LossVerdict, atSeconds: number): void {
  if (verdict.kind === 'held') {
    const { firstHeldAtSeconds, observations } = verdict;
    product.held = { firstHeldAtSeconds, observations };
  } else product.held = null;
  if (verdict.kind !== 'confirmed') return;
  product.hasOffers = false;
  product.confirmedAt ??= atSeconds;
}

export type Market = {
  products: number;
  intervalSeconds: number;
  endSeconds: number;
  /** Of products that are observed at another interval. */
  intervalOf?: (product: number) => number;
  /** Whether the source shows a product at a time. */
  isShown: (product: number, atSeconds: number) => boolean;
};

const newProducts = ({ products, intervalSeconds, intervalOf }: Market): Product[] =>
  Array.from({ length: products }, (_, index) => {
    const interval = intervalOf?.(index) ?? intervalSeconds;
    // Spread over the interval as hashes are: evenly, and in no order.
    const phase = Math.floor(((index * 0.618_033_988_749_895) % 1) * interval);
    return {
      ...{ code: String(index), intervalSeconds: interval, phase, dueAtMs: phase, seenAtMs: -1 },
      ...{ hasOffers: true, failures: 0, held: null, confirmedAt: null },
      get isLost() {
        return this.held !== null;
      },
      spread: (index * 0.381_966) % 1,
    };
  });

/** As many as `take-census` reads. */
const CENSUS_MAX = 2_048;
const BRING_FORWARD_SECONDS = 120;

/** Collected on the schedule, one by one; returns when each loss was believed. */
export function simulateSource(market: Market): (number | null)[] {
  const products = newProducts(market);
  const sampled = products.slice(0, CENSUS_MAX);
  const tallies = createTallies();
  const due = new Map<number, Product[]>();
  const put = (product: Product, at: number) => {
    product.dueAtMs = Math.floor(at);
    const others = due.get(product.dueAtMs);
    if (others === undefined) due.set(product.dueAtMs, [product]);
    else others.push(product);
  };
  const census = ({ code, held }: Product, at: number) =>
    countOthers(
      sampled.filter(({ hasOffers }) => hasOffers),
      { code, sinceMs: held?.firstHeldAtSeconds ?? at },
    );
  let broughtAt = Number.NEGATIVE_INFINITY;
  const bringForward = (product: Product, at: number) => {
    if (at - broughtAt < BRING_FORWARD_SECONDS) return;
    const codes = productsToRecheck(census(product, at));
    if (codes.length > 0) broughtAt = at;
    for (const code of codes) {
      const other = products[Number(code)] as Product;
      if (other.failures > 0 || other.dueAtMs <= at + BRING_FORWARD_SECONDS) continue;
      put(other, at + BRING_FORWARD_SECONDS);
    }
  };
  const observe = (product: Product, at: number) => {
    if (market.isShown(Number(product.code), at)) {
      tallies.add(at, false);
      Object.assign(product, { hasOffers: true, failures: 0, held: null, seenAtMs: at });
      return put(product, nextSlot(product, at));
    }
    if (!product.hasOffers) return put(product, at + 86_400);
    if (product.held === null) tallies.add(at, true);
    const verdict = judge(product, tallies.read(), {
      ...{ atSeconds: at, beforeBucket: bucketOf(at), products: products.length },
      census: () => census(product, at),
    });
    const { held } = product;
    note(product, verdict, at);
    product.failures = verdict.kind === 'failed' ? product.failures + 1 : 0;
    if (verdict.kind === 'failed') {
      product.held = held ?? { firstHeldAtSeconds: at, observations: 1 };
      return put(product, at + Math.min(30 * 2 ** Math.min(product.failures - 1, 5), 300));
    }
    if (verdict.kind === 'confirmed') return put(product, at + 86_400);
    if (verdict.kind === 'held') put(product, Math.max(at + 1, verdict.repeatAtSeconds));
    bringForward(product, at);
  };
  for (const product of products) put(product, product.phase);
  for (let at = 0; at < market.endSeconds; at++) {
    for (const product of due.get(at) ?? []) if (product.dueAtMs === at) observe(product, at);
    due.delete(at);
  }
  return products.map(({ confirmedAt }) => confirmedAt);
}

const nextSlot = ({ phase, intervalSeconds }: Product, at: number) =>
  phase + (Math.floor((at - phase) / intervalSeconds) + 1) * intervalSeconds;

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
          const upTo = tallies.read().filter(({ bucket }) => bucket <= bucketOf(at));
          const beforeBucket = bucketOf(at) + 1;
          const by = { atSeconds: at, beforeBucket, products: products.length, census: null };
          note(product, judge(product, upTo, by), at);
        }
      }
    }
  }
  return products.map(({ confirmedAt }) => confirmedAt);
}
