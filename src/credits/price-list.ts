// Credits per operation. Used by the endpoints and the API page.

export const priceList = {
  details: 1,
  offers: 5,
  'units-in-stock': 5,
  fees: 3,
  'price-history': 15,
  'buybox-history': 10,
  stats: 2,
  profit: 3,
  'offer-history': 20,
  /** Free where the account has paid for the product's price history or a chart that day. */
  chart: 15,
  search: 1,
  finder: 5,
} as const;

/** Credits for units sold, by requested period. */
export const unitsSoldPrices = {
  '1month': 5,
  '6months': 25,
  '1year': 50,
  '3years': 100,
  alltime: 150,
} as const;
