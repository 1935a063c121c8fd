// The price history of every seller of a product, as JSON, seller by seller. History lies by time and is asked for by
// seller, so it is kept as stretches of equal price meanwhile: a few per seller and day, whatever the number of looks.
import { createPause } from '../background/slices.ts';
import { dollars } from '../foundation/money.ts';
import type { OfferAsOf } from '../history/as-of.ts';
import type { Observation } from '../history/observation.ts';
import type { Parts } from './heavy-requests.ts';
import { isoTime } from './wire.ts';

/** Numbers in memory at most, 8 bytes each; where prices change at every look, the history is walked over several times. */
const NUMBERS_MAX = 1_500_000;
const PART_CHARS = 65_536;

type Prices = {
  /** When each look was, as it is written. */
  dates: string[];
  /** By seller: first look, last look, cents, and again. */
  stretches: Map<string, number[]>;
};

/** The records of the offers' sellers with commas between them. `walk` begins at the first look each time. */
export async function* sellerParts(
  offers: readonly OfferAsOf[],
  walk: () => AsyncIterable<Observation>,
  numbersMax = NUMBERS_MAX,
): Parts {
  let written = 0;
  while (written < offers.length) {
    const rest = offers.slice(written).map(({ sellerName }) => sellerName);
    const prices = await gather(rest, walk(), numbersMax);
    for (const offer of offers.slice(written, written + prices.stretches.size)) {
      yield* recordParts(offer, prices, written++ === 0 ? '' : ',');
    }
  }
}

/** The prices of the first of these sellers: of as many as fit into memory, of one at least. */
async function gather(
  sellers: readonly string[],
  observations: AsyncIterable<Observation>,
  numbersMax: number,
): Promise<Prices> {
  const stretches = new Map(sellers.map((name) => [name, [] as number[]]));
  const dates: string[] = [];
  const pause = createPause();
  let numbers = 0;
  for await (const observation of observations) {
    const place = dates.push(isoTime(observation.atSeconds * 1000)) - 1;
    for (const { sellerName, priceCents } of observation.offers ?? []) {
      const own = stretches.get(sellerName);
      if (own !== undefined) numbers += append(own, place, priceCents);
    }
    while (numbers > numbersMax && stretches.size > 1) {
      const last = sellers[stretches.size - 1] as string;
      numbers -= stretches.get(last)?.length ?? 0;
      stretches.delete(last);
    }
    await pause();
  }
  return { dates, stretches };
}

/** Returns how many numbers were added. */
function append(stretches: number[], place: number, cents: number): number {
  const end = stretches.length;
  if (end > 0 && stretches[end - 2] === place - 1 && stretches[end - 1] === cents) {
    stretches[end - 2] = place;
    return 0;
  }
  stretches.push(place, place, cents);
  return 3;
}

async function* recordParts(offer: OfferAsOf, { dates, stretches }: Prices, before: string): Parts {
  const record = {
    seller_name: offer.sellerName,
    price: dollars(offer.priceCents),
    units_in_stock: offer.unitsInStock,
    last_updated: isoTime(offer.seenAtMs),
  };
  const own = stretches.get(offer.sellerName) ?? [];
  let text = `${before}${JSON.stringify(record).slice(0, -1)},"price_history":[`;
  let comma = '';
  for (let at = 0; at < own.length; at += 3) {
    const [first, last, cents] = own.slice(at, at + 3) as [number, number, number];
    const price = dollars(cents);
    for (let place = first; place <= last; place++) {
      text += `${comma}{"date":"${dates[place]}","price":${price}}`;
      comma = ',';
      if (text.length < PART_CHARS) continue;
      yield text;
      text = '';
    }
  }
  yield `${text}]}`;
}
