// The invented words of the simulated marketplace: brands, product lines, colours and sellers.

/** Twelve brands use UPCs, the last two EANs that are not UPCs. */
export const BRANDS_PER_MAIN = 14;
export const FIRST_EAN_BRAND = 12;

const STARTS =
  'Marlo Fenn Tarn Quill Bramb Ostr Velm Harl Wynd Corb Lumm Pell Sorr Addl Kest Thorn Gorm Drav Nimb Ravel Stell Umber Yarr Zeph'.split(
    ' ',
  );
const ENDINGS =
  'wick ora ing eby lund ave ison mere o ette well ano ridge ix ley and ero dale eva field'.split(
    ' ',
  );

/** Brand names are unique within and across main categories: there are 24 × 20. */
export function brandName(main: number, slot: number): string {
  const number = main * BRANDS_PER_MAIN + slot;
  // 37 and 480 are coprime, so neighbours sound different and no name is repeated.
  const scattered = (number * 37) % (STARTS.length * ENDINGS.length);
  const start = STARTS[scattered % STARTS.length] as string;
  return start + ENDINGS[Math.floor(scattered / STARTS.length)];
}

export const LINES =
  'Alder Beacon Cinder Dune Ember Fjord Grove Haven Isle Juniper Lark Meadow North Orchard Prairie Ridge Summit Tide Vale Willow'.split(
    ' ',
  );

export const COLORS =
  'Matte Black,Ivory,Slate,Pine,Sand,Navy,Rust,Sage,Charcoal,Sky,Plum,Copper'.split(',');

const SELLER_STARTS =
  'Northgate Bluebarn Copperleaf Silverbrook Redwagon Oakline Harborview Pinecrest Maplewood Stonebridge Brightway Fairwind Greenlamp Goldfinch Riverbend Sunnyside Westhaven Eastmill Foxglove Ironpost Clearwater Highmeadow Lakeshore Moonrise Newport Oldtown Paperkite Quickstep Rosehip Saltbox Tallgrass Underhill Valleyview Whitefence Yellowdoor Zigzag Amberlane Birchbark Cloverfield Daybreak'.split(
    ' ',
  );
const SELLER_ENDS =
  'Goods,Supply,Trading,Outlet,Store,Mercantile,Depot,Market,Direct Sales,Wares,Emporium,Shop,Retail,Bazaar,Warehouse,Collective,Deals,House,Provisions,Traders,Corner,Exchange,Stock,Line,& Co'.split(
    ',',
  );

/** A prime, so that any stride visits each seller once before it repeats. */
export const SELLER_COUNT = 997;

export function sellerName(sellerId: number): string {
  const start = SELLER_STARTS[sellerId % SELLER_STARTS.length];
  return `${start} ${SELLER_ENDS[Math.floor(sellerId / SELLER_STARTS.length)]}`;
}

/** The marketplace as a seller. */
export const FIRST_PARTY_NAME = 'Larkmoor Marketplace';
