// What each operation costs.

import { usePrices } from '../app/session.ts';
import { creditsText } from '../design/money.tsx';
import { Facts } from '../design/page.tsx';
import { Skeleton } from '../design/states.tsx';

/** On a phone the two lists are stacked and share their columns. */
const ALIGNED = 'max-sm:grid-cols-[6.5rem_minmax(0,1fr)]';

type Prices = NonNullable<ReturnType<typeof usePrices>['data']>;

export function PriceList() {
  const prices = usePrices().data;
  return (
    <div className="flex flex-col gap-1.5">
      <h3 className="text-xs font-medium text-ink">Prices</h3>
      {prices === undefined ? (
        <Skeleton className="h-26 w-full" />
      ) : (
        <div className="grid items-start gap-x-6 gap-y-1.5 sm:grid-cols-2">
          <Facts facts={factsOf(prices).slice(0, 6)} className={ALIGNED} />
          <Facts facts={factsOf(prices).slice(6)} className={ALIGNED} />
        </div>
      )}
    </div>
  );
}

function factsOf(prices: Prices) {
  const sold = Object.values(prices.units_sold);
  const days = prices.tiers.map((tier) => tier.credits_per_day);
  return [
    { name: 'Product details', value: creditsText(prices.product_details) },
    { name: 'Search', value: `${creditsText(prices.search)} per page` },
    { name: 'Finder', value: `${creditsText(prices.finder)} per page` },
    { name: 'Offers', value: creditsText(prices.offers) },
    { name: 'Units in stock', value: creditsText(prices.units_in_stock) },
    { name: 'Fees', value: creditsText(prices.fees) },
    { name: 'Price history', value: creditsText(prices.price_history) },
    { name: 'Buybox history', value: creditsText(prices.buybox_history) },
    { name: 'Statistics', value: creditsText(prices.stats) },
    { name: 'Profit', value: creditsText(prices.profit) },
    { name: 'Offer history', value: creditsText(prices.offer_history) },
    { name: 'Chart or link to one', value: creditsText(prices.chart) },
    { name: 'Units sold', value: `${rangeText(sold)} credits` },
    { name: 'Tracking', value: `${rangeText(days)} per day` },
  ];
}

const rangeText = (prices: readonly number[]) => `${Math.min(...prices)}–${Math.max(...prices)}`;
