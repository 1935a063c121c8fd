// Simulates outages for the crawl guard of docs/decisions/0008-failed-crawls.md: which losses it
// would wrongly believe, and how soon it believes real ones. Pure: no database and no clock.
import { DAY_SECONDS, SECOND_MS } from '../../src/foundation/time.ts';
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
  phaseSeconds: number;
  dueAtSeconds: number;
  seenAtMs: number;
  readonly isLost: boolean;
  spread: number;
  hasOffers: boolean;
  failures: number;
  held: { firstHeldAtSeconds: number; observations: number } | null;
  confirmedAtSeconds: number | null;
};

const BUCKETS_READ = 500;

/** Tallies as `crawl_tallies` stores them; time only moves forward. */
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
    read: () => all.slice(-BUCKETS_READ),
  };
}

function judge(
  product: Product,
  tallies: readonly CrawlTally[],
  by: {
    atSeconds: number;
    beforeBucket: number;
    products: number;
    others: (() => OtherProducts) | null;
  },
): LossVerdict {
  const { atSeconds, beforeBucket } = by;
  const alarmed = isAlarmed(tallies);
  const needsOthers = product.held !== null && !alarmed;
  const others = by.others && (needsOthers ? by.others() : { lost: 0, sound: 0, unseen: [] });
  const firstHeldAtSeconds = product.held?.firstHeldAtSeconds ?? atSeconds;
  return judgeLoss({
    losesProduct: true,
    atSeconds,
    held: product.held,
    isAlarmed: alarmed,
    evidence: evidenceBetween(tallies, {
      afterBucket: bucketOf(firstHeldAtSeconds),
      beforeBucket,
    }),
    isFewWatched: by.products < FEW_WATCHED_BELOW,
    spread: product.spread,
    others,
  });
}

function applyVerdict(product: Product, verdict: LossVerdict, atSeconds: number): void {
  if (verdict.kind === 'held') {
    const { firstHeldAtSeconds, observations } = verdict;
    product.held = { firstHeldAtSeconds, observations };
  } else product.held = null;
  if (verdict.kind !== 'confirmed') return;
  product.hasOffers = false;
  product.confirmedAtSeconds ??= atSeconds;
}

export type Market = {
  products: number;
  intervalSeconds: number;
  endSeconds: number;
  /** The interval of products that are collected at another one. */
  intervalOf?: (product: number) => number;
  /** Whether the source delivers a product at a time. */
  isShown: (product: number, atSeconds: number) => boolean;
};

const newProducts = ({ products, intervalSeconds, intervalOf }: Market): Product[] =>
  Array.from({ length: products }, (_, index) => {
    const interval = intervalOf?.(index) ?? intervalSeconds;
    // Spread over the interval like hashes: evenly, and in no order.
    const phaseSeconds = Math.floor(((index * 0.618_033_988_749_895) % 1) * interval);
    return {
      code: String(index),
      intervalSeconds: interval,
      phaseSeconds,
      dueAtSeconds: phaseSeconds,
      seenAtMs: -1,
      hasOffers: true,
      failures: 0,
      held: null,
      confirmedAtSeconds: null,
      get isLost() {
        return this.held !== null;
      },
      spread: (index * 0.381_966) % 1,
    };
  });

/** As many as `check-other-products` reads. */
const SAMPLED_MAX = 2_048;
const RECHECK_AFTER_SECONDS = 120;

/** Collects on the schedule, one by one; returns when each loss was believed, in seconds. */
export function simulateSource(market: Market): (number | null)[] {
  const products = newProducts(market);
  const sampled = products.slice(0, SAMPLED_MAX);
  const tallies = createTallies();
  const due = new Map<number, Product[]>();
  const put = (product: Product, atSeconds: number) => {
    product.dueAtSeconds = Math.floor(atSeconds);
    const dueThen = due.get(product.dueAtSeconds);
    if (dueThen === undefined) due.set(product.dueAtSeconds, [product]);
    else dueThen.push(product);
  };
  const others = ({ code, held }: Product, atSeconds: number) =>
    countOthers(
      sampled.filter(({ hasOffers }) => hasOffers),
      { code, sinceMs: (held?.firstHeldAtSeconds ?? atSeconds) * SECOND_MS },
    );
  let recheckedAtSeconds = Number.NEGATIVE_INFINITY;
  const recheckOthers = (product: Product, atSeconds: number) => {
    if (atSeconds - recheckedAtSeconds < RECHECK_AFTER_SECONDS) return;
    const codes = productsToRecheck(others(product, atSeconds));
    if (codes.length > 0) recheckedAtSeconds = atSeconds;
    for (const code of codes) {
      const other = products[Number(code)] as Product;
      if (other.failures > 0 || other.dueAtSeconds <= atSeconds + RECHECK_AFTER_SECONDS) continue;
      put(other, atSeconds + RECHECK_AFTER_SECONDS);
    }
  };
  const observe = (product: Product, atSeconds: number) => {
    if (market.isShown(Number(product.code), atSeconds)) {
      tallies.add(atSeconds, false);
      Object.assign(product, {
        hasOffers: true,
        failures: 0,
        held: null,
        seenAtMs: atSeconds * SECOND_MS,
      });
      return put(product, nextSlot(product, atSeconds));
    }
    if (!product.hasOffers) return put(product, atSeconds + DAY_SECONDS);
    if (product.held === null) tallies.add(atSeconds, true);
    const verdict = judge(product, tallies.read(), {
      atSeconds,
      beforeBucket: bucketOf(atSeconds),
      products: products.length,
      others: () => others(product, atSeconds),
    });
    const { held } = product;
    applyVerdict(product, verdict, atSeconds);
    product.failures = verdict.kind === 'failed' ? product.failures + 1 : 0;
    if (verdict.kind === 'failed') {
      product.held = held ?? { firstHeldAtSeconds: atSeconds, observations: 1 };
      return put(product, atSeconds + Math.min(30 * 2 ** Math.min(product.failures - 1, 5), 300));
    }
    if (verdict.kind === 'confirmed') return put(product, atSeconds + DAY_SECONDS);
    if (verdict.kind === 'held') put(product, Math.max(atSeconds + 1, verdict.repeatAtSeconds));
    recheckOthers(product, atSeconds);
  };
  for (const product of products) put(product, product.phaseSeconds);
  for (let atSeconds = 0; atSeconds < market.endSeconds; atSeconds++) {
    for (const product of due.get(atSeconds) ?? [])
      if (product.dueAtSeconds === atSeconds) observe(product, atSeconds);
    due.delete(atSeconds);
  }
  return products.map(({ confirmedAtSeconds }) => confirmedAtSeconds);
}

const nextSlot = ({ phaseSeconds, intervalSeconds }: Product, atSeconds: number) =>
  phaseSeconds + (Math.floor((atSeconds - phaseSeconds) / intervalSeconds) + 1) * intervalSeconds;

/**
 * Crawls once per interval and ingests in parts of `linesPerPart`; a crawl takes `crawlSeconds`.
 */
export function simulateIngest(
  market: Market,
  { linesPerPart, crawlSeconds }: { linesPerPart: number; crawlSeconds: number },
): (number | null)[] {
  const products = newProducts(market);
  const tallies = createTallies();
  for (let start = 0; start < market.endSeconds; start += market.intervalSeconds) {
    for (let from = 0; from < products.length; from += linesPerPart) {
      const part = products.slice(from, from + linesPerPart).map((product, offset) => {
        const atSeconds = start + Math.floor(((from + offset) / products.length) * crawlSeconds);
        return { product, atSeconds, isShown: market.isShown(from + offset, atSeconds) };
      });
      // A whole part is counted before any of it is judged.
      for (const { product, atSeconds, isShown } of part) {
        if (isShown || product.hasOffers) tallies.add(atSeconds, !isShown);
      }
      for (const { product, atSeconds, isShown } of part) {
        if (isShown) Object.assign(product, { hasOffers: true, held: null });
        else if (product.hasOffers) {
          const earlier = tallies.read().filter(({ bucket }) => bucket <= bucketOf(atSeconds));
          const beforeBucket = bucketOf(atSeconds) + 1;
          const by = { atSeconds, beforeBucket, products: products.length, others: null };
          applyVerdict(product, judge(product, earlier, by), atSeconds);
        }
      }
    }
  }
  return products.map(({ confirmedAtSeconds }) => confirmedAtSeconds);
}
