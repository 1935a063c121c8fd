// The category tree of the simulated marketplace and the goods of each leaf: plain data, all
// invented.

export type Season = 'even' | 'summer' | 'winter' | 'spring' | 'school' | 'gifts';

/**
 * How a trade prices its goods. Repriced: programs undercut each other several times a day.
 * Promoted: prices stand for months, with weekly offers that all start on one weekday. Steady: most
 * prices never change.
 */
export type Pricing =
  | { kind: 'repriced' }
  | { kind: 'promoted'; weekday: number }
  | { kind: 'steady'; weekday: number };

export type Leaf = {
  /** Main category, sub-category, leaf. The leaf's name is unique. */
  path: readonly [string, string, string];
  main: number;
  nouns: readonly string[];
  sizes: readonly string[];
  priceCents: readonly [number, number];
  weightLb: readonly [number, number];
  season: Season;
  /** Bought for work, mostly on weekdays; otherwise mostly at weekends. */
  forWork: boolean;
  /** Units per day of the leaf's best seller. */
  topUnits: number;
  pricing: Pricing;
};

const REPRICED: Pricing = { kind: 'repriced' };
/** From Sunday, 0. */
const promotedOn = (weekday: number): Pricing => ({ kind: 'promoted', weekday });
const steadyFrom = (weekday: number): Pricing => ({ kind: 'steady', weekday });

// A row: sub-category | leaf | nouns | sizes | dollars | pounds | season | units of the best
// seller. Names of main and sub-categories are, where one fits, those of the fee schedule.
const MAINS: readonly {
  main: string;
  forWork?: true;
  /** Repriced unless it says otherwise. */
  pricing?: Pricing;
  rows: readonly string[];
}[] = [
  {
    main: 'Home & Garden',
    rows: [
      'Kitchen | Kettles | Electric Kettle, Gooseneck Kettle, Stovetop Kettle | 0.8 l, 1.0 l, 1.2 l, 1.7 l | 14-95 | 1.5-4 | winter | 120',
      'Kitchen | Coffee Makers | Drip Coffee Maker, Pour-Over Set, French Press, Moka Pot | 2-Cup, 4-Cup, 8-Cup, 12-Cup | 12-180 | 1-9 | gifts | 150',
      'Kitchen | Cookware | Cast Iron Skillet, Saucepan, Stockpot, Sauté Pan | 8 in, 10 in, 12 in, 3 qt, 5 qt | 15-140 | 2-9 | gifts | 140',
      'Kitchen | Kitchen Knives | Chef Knife, Santoku Knife, Bread Knife, Paring Knife Set | 4 in, 6 in, 7 in, 8 in | 9-120 | 0.4-2 | gifts | 90',
      'Decor | Table Lamps | Table Lamp, Bedside Lamp, Desk Lamp | 12 in, 15 in, 18 in, 22 in | 16-130 | 2-8 | winter | 70',
      'Decor | Throw Blankets | Throw Blanket, Knit Throw, Fleece Blanket | 50 x 60 in, 60 x 80 in, 90 x 90 in | 12-75 | 1.5-5 | winter | 160',
      'Garden | Planters | Planter, Hanging Planter, Raised Bed, Window Box | 6 in, 8 in, 10 in, 14 in | 8-90 | 1-14 | spring | 110',
    ],
  },
  {
    main: 'Indoor & Outdoor Furniture',
    pricing: steadyFrom(3),
    rows: [
      'Indoor Furniture | Bookcases | Bookcase, Ladder Shelf, Corner Shelf | 3-Tier, 4-Tier, 5-Tier | 39-240 | 18-70 | school | 40',
      'Indoor Furniture | Desk Chairs | Desk Chair, Task Chair, Drafting Chair | Low Back, Mid Back, High Back | 59-380 | 22-55 | school | 60',
      'Outdoor Furniture | Patio Chairs | Patio Chair, Folding Chair, Lounge Chair | Single, Set of 2, Set of 4 | 29-320 | 8-60 | summer | 70',
    ],
  },
  {
    main: 'Consumer Electronics',
    rows: [
      'Audio | Headphones | Over-Ear Headphones, On-Ear Headphones, Studio Headphones | Wired, Wireless, Folding | 19-260 | 0.5-1.6 | gifts | 220',
      'Audio | Bluetooth Speakers | Bluetooth Speaker, Shower Speaker, Party Speaker | 5 W, 12 W, 24 W, 60 W | 15-230 | 0.6-9 | summer | 180',
      'Audio | Turntables | Turntable, Belt-Drive Turntable, Suitcase Turntable | 2-Speed, 3-Speed | 59-420 | 6-18 | gifts | 30',
      'Camera & Photo | Tripods | Tripod, Travel Tripod, Tabletop Tripod, Monopod | 20 in, 50 in, 60 in, 72 in | 14-190 | 0.8-6 | summer | 60',
      'Electronics Accessories | USB Chargers | Wall Charger, Car Charger, Charging Station | 20 W, 30 W, 65 W, 100 W | 9-80 | 0.2-1.2 | even | 260',
      'Electronics Accessories | Cables | USB-C Cable, HDMI Cable, Audio Cable | 3 ft, 6 ft, 10 ft, 15 ft | 5-35 | 0.1-0.8 | even | 280',
    ],
  },
  {
    main: 'Personal Computers',
    forWork: true,
    rows: [
      'Computer Accessories | Keyboards | Mechanical Keyboard, Compact Keyboard, Quiet Keyboard | 60 Keys, 75 Keys, 87 Keys, 104 Keys | 19-180 | 1-3.5 | school | 120',
      'Computer Accessories | Computer Mice | Wireless Mouse, Vertical Mouse, Trackball | Small, Medium, Large | 11-110 | 0.2-0.8 | school | 150',
      'Computer Accessories | Monitor Stands | Monitor Stand, Monitor Arm, Laptop Riser | Single, Dual, Triple | 18-160 | 2-12 | even | 70',
      'Storage | Portable Drives | Portable SSD, Portable Hard Drive | 500 GB, 1 TB, 2 TB, 4 TB | 39-320 | 0.2-1 | school | 90',
    ],
  },
  {
    main: 'Toys & Games',
    pricing: promotedOn(5),
    rows: [
      'Building Toys | Wooden Blocks | Wooden Blocks, Marble Run, Rainbow Stacker | 24 Pieces, 60 Pieces, 100 Pieces | 14-90 | 1-8 | gifts | 130',
      'Building Toys | Magnetic Tiles | Magnetic Tiles, Magnetic Rods | 32 Pieces, 64 Pieces, 120 Pieces | 19-110 | 1.5-7 | gifts | 140',
      'Games | Board Games | Strategy Game, Family Game, Cooperative Game | 2-4 Players, 2-6 Players, 3-8 Players | 14-75 | 1-5 | gifts | 150',
      'Games | Jigsaw Puzzles | Jigsaw Puzzle, Panorama Puzzle | 300 Pieces, 500 Pieces, 1000 Pieces, 2000 Pieces | 9-38 | 0.8-3 | winter | 120',
      'Outdoor Play | Kites | Delta Kite, Parafoil Kite, Stunt Kite | 48 in, 60 in, 72 in | 9-70 | 0.3-1.5 | spring | 50',
    ],
  },
  {
    main: 'Sporting Goods',
    rows: [
      'Fitness | Yoga Mats | Yoga Mat, Travel Yoga Mat, Exercise Mat | 1/8 in, 1/4 in, 1/2 in | 14-110 | 1.5-7 | winter | 140',
      'Fitness | Dumbbells | Dumbbell Pair, Adjustable Dumbbell, Hex Dumbbell | 5 lb, 10 lb, 20 lb, 35 lb | 14-240 | 5-70 | winter | 80',
      'Fitness | Resistance Bands | Resistance Band Set, Loop Bands, Pull-Up Band | Light, Medium, Heavy | 8-45 | 0.3-2.5 | winter | 170',
      'Cycling | Bike Lights | Bike Light Set, Headlight, Tail Light | 200 lm, 400 lm, 800 lm, 1200 lm | 12-120 | 0.2-0.9 | winter | 80',
      'Cycling | Bike Helmets | Commuter Helmet, Trail Helmet, Road Helmet | S, M, L | 24-170 | 0.6-1.4 | spring | 70',
    ],
  },
  {
    main: 'Outdoors',
    pricing: steadyFrom(1),
    rows: [
      'Camping | Tents | Dome Tent, Tunnel Tent, Backpacking Tent | 1-Person, 2-Person, 4-Person, 6-Person | 49-480 | 3-24 | summer | 50',
      'Camping | Sleeping Bags | Sleeping Bag, Mummy Bag, Quilt | 20 °F, 32 °F, 45 °F | 29-290 | 1.5-6 | summer | 60',
      'Camping | Headlamps | Headlamp, Rechargeable Headlamp | 200 lm, 400 lm, 800 lm | 12-85 | 0.2-0.6 | summer | 110',
      'Hydration | Water Bottles | Insulated Bottle, Steel Bottle, Wide-Mouth Bottle | 18 oz, 24 oz, 32 oz, 40 oz | 12-48 | 0.5-1.8 | summer | 240',
    ],
  },
  {
    main: 'Tools & Home Improvement',
    pricing: steadyFrom(2),
    rows: [
      'Base Power Tools | Cordless Drills | Cordless Drill, Hammer Drill, Impact Driver | 12 V, 18 V, 20 V | 39-260 | 3-9 | gifts | 90',
      'Base Power Tools | Sanders | Orbital Sander, Belt Sander, Detail Sander | 2 A, 3 A, 5 A | 29-190 | 2.5-12 | spring | 50',
      'Hand Tools | Screwdriver Sets | Screwdriver Set, Precision Set, Ratchet Driver | 6 Pieces, 12 Pieces, 32 Pieces | 9-80 | 0.5-4 | gifts | 100',
      'Hand Tools | Tape Measures | Tape Measure, Laser Measure | 16 ft, 25 ft, 35 ft | 7-70 | 0.4-1.8 | spring | 90',
      'Lighting | LED Bulbs | LED Bulb, Filament Bulb, Globe Bulb | 2-Pack, 4-Pack, 8-Pack | 8-46 | 0.3-1.6 | winter | 190',
    ],
  },
  {
    main: 'Beauty, Health & Personal Care',
    pricing: promotedOn(0),
    rows: [
      'Hair Care | Hair Dryers | Hair Dryer, Travel Hair Dryer, Dryer Brush | 1200 W, 1600 W, 1875 W | 19-190 | 1-3 | gifts | 100',
      'Hair Care | Shampoo | Shampoo, Volume Shampoo, Scalp Shampoo | 8 oz, 12 oz, 16 oz, 33 oz | 6-34 | 0.6-2.5 | even | 240',
      'Oral Care | Electric Toothbrushes | Electric Toothbrush, Travel Toothbrush | 2 Heads, 4 Heads, 8 Heads | 18-150 | 0.5-1.4 | gifts | 160',
      'Skin Care | Sunscreen | Sunscreen, Face Sunscreen, Mineral Sunscreen | SPF 30, SPF 50 | 8-36 | 0.2-0.8 | summer | 230',
      'Wellness | Heating Pads | Heating Pad, Neck Wrap, Foot Warmer | 12 x 15 in, 12 x 24 in | 17-70 | 1-3 | winter | 90',
    ],
  },
  {
    main: 'Pet Supplies',
    pricing: promotedOn(4),
    rows: [
      'Dogs | Dog Beds | Dog Bed, Bolster Bed, Cooling Bed | S, M, L, XL | 19-140 | 2-12 | winter | 110',
      'Dogs | Dog Leashes | Dog Leash, Rope Leash, Hands-Free Leash | 4 ft, 6 ft, 10 ft | 8-48 | 0.3-1.2 | even | 130',
      'Cats | Cat Trees | Cat Tree, Cat Tower, Window Perch | 32 in, 48 in, 60 in | 29-210 | 6-45 | even | 70',
      'Fish | Aquariums | Aquarium, Nano Aquarium, Aquarium Kit | 3 gal, 5 gal, 10 gal, 20 gal | 29-260 | 6-40 | even | 35',
    ],
  },
  {
    main: 'Office Products',
    pricing: steadyFrom(1),
    forWork: true,
    rows: [
      'Paper | Notebooks | Hardcover Notebook, Dot Grid Notebook, Spiral Notebook | A6, A5, A4 | 5-34 | 0.3-1.6 | school | 210',
      'Writing | Fountain Pens | Fountain Pen, Calligraphy Pen | Extra Fine, Fine, Medium | 12-160 | 0.1-0.6 | gifts | 50',
      'Writing | Markers | Brush Markers, Permanent Markers, Highlighters | 6-Pack, 12-Pack, 24-Pack | 5-42 | 0.3-1.8 | school | 190',
      'Desk | Desk Organizers | Desk Organizer, Letter Tray, Drawer Insert | 3 Slots, 5 Slots, 7 Slots | 11-60 | 1-5 | school | 90',
    ],
  },
  {
    main: 'Baby Products',
    pricing: promotedOn(0),
    rows: [
      'Nursery | Night Lights | Night Light, Sound Machine, Star Projector | Small, Medium | 12-60 | 0.4-1.5 | even | 110',
      'Feeding | Baby Bottles | Baby Bottle, Anti-Colic Bottle, Glass Bottle | 4 oz, 5 oz, 8 oz, 9 oz | 6-48 | 0.3-1.8 | even | 180',
      'Travel | Strollers | Compact Stroller, Jogging Stroller, Travel Stroller | 6 in Wheels, 8 in Wheels, 12 in Wheels | 89-520 | 12-30 | spring | 35',
    ],
  },
  {
    main: 'Grocery',
    pricing: promotedOn(0),
    rows: [
      'Beverages | Tea | Green Tea, Black Tea, Herbal Tea | 20 Bags, 50 Bags, 100 Bags, 1 lb | 5-38 | 0.2-1.4 | winter | 230',
      'Beverages | Coffee Beans | Coffee Beans, Espresso Beans, Decaf Beans | 12 oz, 1 lb, 2 lb, 5 lb | 9-75 | 0.8-5.5 | winter | 250',
      'Snacks | Granola Bars | Granola Bars, Nut Bars, Oat Bars | 6-Pack, 12-Pack, 24-Pack | 5-42 | 0.5-3 | school | 260',
    ],
  },
  {
    main: 'Musical Instruments',
    rows: [
      'Strings | Ukuleles | Ukulele, Ukulele Starter Kit | Soprano, Concert, Tenor | 39-240 | 1-3.5 | gifts | 40',
      'Accessories | Guitar Strings | Acoustic Strings, Electric Strings, Classical Strings | Light, Medium, Heavy | 6-32 | 0.1-0.3 | even | 120',
    ],
  },
];

const range = (text: string) => text.split('-').map(Number) as [number, number];

function leafOf(row: string, main: string, mainIndex: number): Omit<Leaf, 'forWork' | 'pricing'> {
  const cells = row.split(' | ') as [
    string,
    string,
    string,
    string,
    string,
    string,
    Season,
    string,
  ];
  const [sub, leaf, nouns, sizes, dollars, pounds, season, topUnits] = cells;
  const [low, high] = range(dollars);
  return {
    path: [main, sub, leaf],
    main: mainIndex,
    nouns: nouns.split(', '),
    sizes: sizes.split(', '),
    priceCents: [low * 100, high * 100],
    weightLb: range(pounds),
    season,
    topUnits: Number(topUnits),
  };
}

export const LEAVES: readonly Leaf[] = MAINS.flatMap(
  ({ main, forWork = false, pricing = REPRICED, rows }, mainIndex) =>
    rows.map((row) => ({ ...leafOf(row, main, mainIndex), forWork, pricing })),
);
