// The worlds of the trial: ways in which sellers keep their shelves and marketplaces display them.
// Every item draws its own values from these ranges. A test checks that no value of a world is one
// of the estimator: an estimator must not be tuned to its own exam.

/** The lowest and the highest value of a uniform draw. */
export type Range = readonly [least: number, most: number];

/** How the shelf of one seller is filled. */
export type Policy =
  /** At random times, to what will sell until the next time and some spare units or days. */
  | { kind: 'foresight'; daysBetween: number; spareUnits: Range; spareDays: Range }
  /** At or below the trigger, ordered up to the maximum, delivered some days later. */
  | { kind: 'reorder'; triggerDays: Range; orderDays: Range; leadDays: Range }
  /** To a level at a fixed hour, every day or every week. The level is a part of a good period. */
  | { kind: 'level'; everyDays: 1 | 7; hour: Range; bestPart: Range }
  /** By packs as soon as few units are left. */
  | {
      kind: 'packs';
      packUnits: readonly number[];
      packDays: Range;
      shelfPacks: Range;
      delayHours: Range;
    };

export type TrialWorld = {
  name: string;
  about: string;
  /** One is drawn per seller. */
  policies: readonly Policy[];
  sellers: Range;
  missedPart: Range;
  /** Part of the items that have a sales rank. */
  rankedPart: number;
  /** The marketplace displays no higher count. */
  caps?: readonly number[];
  returnsPerDay?: Range;
  /** Days a seller stays and days it is away. */
  presence?: { stays: Range; away: Range };
  /** Days between two moves of stock to another seller, and the part of the stock that moves. */
  moves?: { daysBetween: Range; part: Range };
  /** Times without any observation. */
  gaps?: { count: Range; days: Range };
  /** Number of sellers whose counts are never displayed. */
  unknownSellers?: number;
  /** Days between orders that are many times the usual one. */
  bulk?: { daysBetween: Range; times: Range };
};

const PRESENT: Policy = {
  kind: 'foresight',
  daysBetween: 10,
  spareUnits: [0, 5],
  spareDays: [0, 0],
};
const SPARE: Policy = {
  kind: 'foresight',
  daysBetween: 8.5,
  spareUnits: [0, 3],
  spareDays: [0, 4.6],
};
const REORDER: Policy = {
  kind: 'reorder',
  triggerDays: [0.8, 5.5],
  orderDays: [4.4, 17],
  leadDays: [0.4, 6.2],
};

const usual = { sellers: [1, 1], missedPart: [0.03, 0.07], rankedPart: 0 } as const;
const mixed = { policies: [PRESENT, SPARE, REORDER], missedPart: usual.missedPart };

export const TRIAL_WORLDS: readonly TrialWorld[] = [
  {
    ...usual,
    name: 'present',
    about: 'refilled at random times to what will sell until the next refill and 0 to 5 units',
    policies: [PRESENT],
    missedPart: [0.05, 0.05],
  },
  { ...usual, name: 'spare', about: 'the same, with a spare of up to days', policies: [SPARE] },
  {
    ...usual,
    name: 'reorder',
    about: 'ordered at a trigger, delivered days later, sold out in between',
    policies: [REORDER],
  },
  {
    ...usual,
    name: 'nightly',
    about: 'filled to a level every night',
    policies: [{ kind: 'level', everyDays: 1, hour: [-2.3, 4.7], bestPart: [0.7, 1.6] }],
  },
  {
    ...usual,
    name: 'weekly',
    about: 'filled to a level once a week',
    policies: [{ kind: 'level', everyDays: 7, hour: [-4.2, 21], bestPart: [0.7, 1.6] }],
  },
  {
    ...usual,
    name: 'packs',
    about: 'case packs on small shelves',
    policies: [
      {
        kind: 'packs',
        packUnits: [4, 6, 8, 12, 24, 36, 40],
        packDays: [0.7, 3.4],
        shelfPacks: [1.2, 3.6],
        delayHours: [0.5, 25.5],
      },
    ],
  },
  {
    ...usual,
    name: 'odd-packs',
    about: 'the same in sizes that no list of packs has',
    policies: [
      {
        kind: 'packs',
        packUnits: [7, 17, 19, 23, 29, 33, 43],
        packDays: [0.7, 3.4],
        shelfPacks: [1.2, 3.6],
        delayHours: [0.5, 25.5],
      },
    ],
  },
  {
    ...usual,
    name: 'quick-packs',
    about: 'case packs that arrive within two hours of a low shelf',
    policies: [
      {
        kind: 'packs',
        packUnits: [4, 6, 8, 12, 24, 36, 40],
        packDays: [0.31, 2.7],
        shelfPacks: [1.2, 3.6],
        delayHours: [0, 1.9],
      },
    ],
  },
  {
    ...mixed,
    name: 'capped',
    about: 'counts displayed up to 10, 50, 99 or 999',
    sellers: [1, 2],
    rankedPart: 0.4,
    caps: [10, 50, 99, 999],
  },
  {
    ...mixed,
    name: 'returns',
    about: '2 to 5 sellers, units come back',
    sellers: [2, 5],
    rankedPart: 0.4,
    returnsPerDay: [0.21, 1.25],
  },
  {
    ...mixed,
    name: 'come-and-go',
    about: 'sellers arrive and leave',
    sellers: [2, 5],
    rankedPart: 0.4,
    presence: { stays: [3.7, 43], away: [0.7, 29] },
  },
  {
    ...mixed,
    name: 'moved',
    about: 'stock moves between sellers',
    sellers: [2, 3],
    rankedPart: 0.4,
    moves: { daysBetween: [8.9, 37], part: [0.19, 0.87] },
  },
  {
    ...mixed,
    name: 'gaps',
    about: 'no observation for 2 to 14 days, several times',
    sellers: [1, 2],
    rankedPart: 0.4,
    gaps: { count: [4, 8], days: [2, 13.9] },
  },
  {
    ...mixed,
    name: 'unknown',
    about: 'the counts of one seller are never displayed',
    sellers: [2, 4],
    rankedPart: 0.4,
    unknownSellers: 1,
  },
  {
    ...mixed,
    name: 'bulk',
    about: 'orders of many times the usual size',
    sellers: [1, 2],
    rankedPart: 0,
    bulk: { daysBetween: [8.3, 47], times: [6.7, 37] },
  },
];
