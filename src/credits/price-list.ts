// What each operation costs, as the spec lists it. One place, read by the doors and by the API page.

export const priceList = {
  details: 1,
  offers: 5,
  'units-in-stock': 5,
  fees: 3,
  'price-history': 15,
} as const;
