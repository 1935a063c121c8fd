// A dozen invented products, and a marketplace for them that a test controls.
import { checkDigit } from '../../src/catalog/gtin.ts';
import type { Offer, Snapshot } from '../../src/catalog/snapshot.ts';
import type { FetchOutcome, Source } from '../../src/sources/source.ts';

type Shelf = { brand: string; name: string; categories: string[]; cents: number; rating: number };

const SHELF: readonly Shelf[] = [
  {
    brand: 'Marlowe',
    name: 'Marlowe Gooseneck Kettle 1.0 l, Matte Black',
    categories: ['Home', 'Kitchen', 'Kettles'],
    cents: 4299,
    rating: 4.6,
  },
  {
    brand: 'Marlowe',
    name: 'Marlowe Burr Coffee Grinder, 30 Settings',
    categories: ['Home', 'Kitchen', 'Coffee'],
    cents: 8950,
    rating: 4.4,
  },
  {
    brand: 'Fennwick',
    name: 'Fennwick Cast Iron Skillet 10 in',
    categories: ['Home', 'Kitchen', 'Cookware'],
    cents: 2499,
    rating: 4.8,
  },
  {
    brand: 'Fennwick',
    name: 'Fennwick Chef Knife 8 in',
    categories: ['Home', 'Kitchen', 'Knives'],
    cents: 3900,
    rating: 4.5,
  },
  {
    brand: 'Trailbird',
    name: 'Trailbird Insulated Bottle 32 oz, Pine',
    categories: ['Sports & Outdoors', 'Camping', 'Bottles'],
    cents: 2795,
    rating: 4.7,
  },
  {
    brand: 'Trailbird',
    name: 'Trailbird Headlamp 400 lm, Rechargeable',
    categories: ['Sports & Outdoors', 'Camping', 'Lighting'],
    cents: 3150,
    rating: 4.3,
  },
  {
    brand: 'Kestrel Audio',
    name: 'Kestrel Audio Over-Ear Headphones K2',
    categories: ['Electronics', 'Audio', 'Headphones'],
    cents: 12900,
    rating: 4.2,
  },
  {
    brand: 'Kestrel Audio',
    name: 'Kestrel Audio Bookshelf Speakers, Pair',
    categories: ['Electronics', 'Audio', 'Speakers'],
    cents: 18999,
    rating: 4.5,
  },
  {
    brand: 'Pennyroyal',
    name: 'Pennyroyal Watercolor Set, 24 Pans',
    categories: ['Arts & Crafts', 'Painting'],
    cents: 1899,
    rating: 4.6,
  },
  {
    brand: 'Pennyroyal',
    name: 'Pennyroyal Sketchbook A4, 100 Sheets',
    categories: ['Arts & Crafts', 'Drawing'],
    cents: 1250,
    rating: 4.7,
  },
  {
    brand: 'Little Harbor',
    name: 'Little Harbor Wooden Blocks, 60 Pieces',
    categories: ['Toys', 'Building'],
    cents: 3499,
    rating: 4.9,
  },
  {
    brand: 'Little Harbor',
    name: 'Little Harbor Night Light, Whale',
    categories: ['Toys', 'Nursery'],
    cents: 2199,
    rating: 4.1,
  },
];

/** The first half have a UPC, the others an EAN that is not one. */
export function shelfSnapshots(observedAtMs: number): Snapshot[] {
  return SHELF.map((item, index) => {
    const first13 = `${index < 6 ? '00850010' : '04006381'}${String(10100 + index * 37).padStart(5, '0')}`;
    const offers = [
      offer({
        sellerName: `${item.brand} Store`,
        priceCents: item.cents,
        unitsInStock: 40 + index,
      }),
      offer({ sellerName: 'Second Shop', priceCents: item.cents + 250, unitsInStock: null }),
    ];
    return {
      code: String(500_100_001 + index * 7_919),
      observedAtMs: Math.floor(observedAtMs / 1000) * 1000,
      gtins: [`${first13}${checkDigit(first13)}`],
      brand: item.brand,
      name: item.name,
      categories: item.categories,
      buybox: { priceCents: item.cents, sellerName: `${item.brand} Store` },
      offers,
      offersComplete: true,
      rank: { position: 12 + index * 31, category: item.categories.at(-1) ?? '' },
      customerRating: item.rating,
      reviewCount: 2140 - index * 163,
      shippingWeightLb: 1 + index / 4,
      sellerType: index % 2 === 0 ? 'marketplace' : 'fulfilled',
    };
  });
}

const offer = (input: Pick<Offer, 'sellerName' | 'priceCents' | 'unitsInStock'>): Offer => ({
  ...input,
  shippingCents: 0,
  lastUpdatedAtMs: null,
});

/** A marketplace controlled by the test: its products, its responses and the number of calls. */
export type ShelfSource = Source & {
  shelf: Map<string, Snapshot>;
  /** Called before each response; may wait, throw or return other outcomes. */
  meanwhile: ((codes: readonly string[]) => Promise<FetchOutcome[] | undefined>) | null;
  calls: number;
};

export function createShelfSource(snapshots: readonly Snapshot[]): ShelfSource {
  const source: ShelfSource = {
    name: 'simulated',
    shelf: new Map(snapshots.map((snapshot) => [snapshot.code, snapshot])),
    meanwhile: null,
    calls: 0,
    async fetchBatch(codes) {
      source.calls += 1;
      const instead = await source.meanwhile?.(codes);
      if (instead !== undefined) return instead;
      return codes.map((code) => {
        const snapshot = source.shelf.get(code);
        return snapshot ? { kind: 'snapshot', snapshot } : { kind: 'not_found' };
      });
    },
    async findByGtin(gtin) {
      source.calls += 1;
      const listed = [...source.shelf.values()].filter((one) => one.gtins.includes(gtin));
      return { kind: 'codes', codes: listed.map((one) => one.code) };
    },
    history: () => null,
    async close() {},
  };
  return source;
}
