// Writes the price history of every seller of a product as JSON, seller by seller. History is
// stored by time, so it is collected as runs of equal price first: a few per seller and day,
// whatever the number of observations.
import { createPause } from '../background/slices.ts';
import { dollars } from '../foundation/money.ts';
import type { OfferAsOf } from '../history/as-of.ts';
import type { Observation } from '../history/observation.ts';
import type { Parts } from './heavy-requests.ts';
import { isoTime } from './wire.ts';

/**
 * Maximum of numbers in memory, 8 bytes each. If prices change at every observation, the history is
 * walked several times.
 */
const NUMBERS_MAX = 1_500_000;
const PART_CHARS = 65_536;

type Prices = {
  /** The time of each observation, formatted. */
  dates: string[];
  /** By seller, three numbers per run: index of the first and last observation, and the cents. */
  runsBySeller: Map<string, number[]>;
};

/** The sellers' records, separated by commas. `walk` starts at the first observation each time. */
export async function* sellerParts(
  offers: readonly OfferAsOf[],
  walk: () => AsyncIterable<Observation>,
  numbersMax = NUMBERS_MAX,
): Parts {
  let written = 0;
  while (written < offers.length) {
    const rest = offers.slice(written).map(({ sellerName }) => sellerName);
    const prices = await gather(rest, walk(), numbersMax);
    for (const offer of offers.slice(written, written + prices.runsBySeller.size)) {
      yield* recordParts(offer, prices, written++ === 0 ? '' : ',');
    }
  }
}

/** Collects the prices of the first sellers: as many as fit in memory, at least one. */
async function gather(
  sellers: readonly string[],
  observations: AsyncIterable<Observation>,
  numbersMax: number,
): Promise<Prices> {
  const runsBySeller = new Map(sellers.map((name) => [name, [] as number[]]));
  const dates: string[] = [];
  const pause = createPause();
  let numbers = 0;
  for await (const observation of observations) {
    const index = dates.push(isoTime(observation.atSeconds * 1000)) - 1;
    for (const { sellerName, priceCents } of observation.offers ?? []) {
      const runs = runsBySeller.get(sellerName);
      if (runs !== undefined) numbers += append(runs, index, priceCents);
    }
    while (numbers > numbersMax && runsBySeller.size > 1) {
      const last = sellers[runsBySeller.size - 1] as string;
      numbers -= runsBySeller.get(last)?.length ?? 0;
      runsBySeller.delete(last);
    }
    await pause();
  }
  return { dates, runsBySeller };
}

/** Returns the count of numbers added. */
function append(runs: number[], index: number, cents: number): number {
  const end = runs.length;
  if (end > 0 && runs[end - 2] === index - 1 && runs[end - 1] === cents) {
    runs[end - 2] = index;
    return 0;
  }
  runs.push(index, index, cents);
  return 3;
}

async function* recordParts(
  offer: OfferAsOf,
  { dates, runsBySeller }: Prices,
  before: string,
): Parts {
  const record = {
    seller_name: offer.sellerName,
    price: dollars(offer.priceCents),
    units_in_stock: offer.unitsInStock,
    last_updated: isoTime(offer.seenAtMs),
  };
  const sellerRuns = runsBySeller.get(offer.sellerName) ?? [];
  let text = `${before}${JSON.stringify(record).slice(0, -1)},"price_history":[`;
  let comma = '';
  for (let run = 0; run < sellerRuns.length; run += 3) {
    const [first, last, cents] = sellerRuns.slice(run, run + 3) as [number, number, number];
    const price = dollars(cents);
    for (let index = first; index <= last; index++) {
      text += `${comma}{"date":"${dates[index]}","price":${price}}`;
      comma = ',';
      if (text.length < PART_CHARS) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]}`;
}
