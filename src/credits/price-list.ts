// What each operation costs, as the spec lists it. One place, read by the doors and by the API page.

export const priceList = {
  details: 1,
  offers: 5,
  'units-in-stock': 5,
  fees: 3,
  'price-history': 15,
} as const;

/** Units sold, by the period asked for. */
export const unitsSoldPrices = {
  '1month': 5,
  '6months': 25,
  '1year': 50,
  '3years': 100,
  alltime: 150,
} as const;
