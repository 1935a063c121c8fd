// The packed form of looks: differences from one look to the next, written as small numbers. An unchanged
// buybox costs one byte, a seller's stock that moved a little one byte.
//
// A block: version, time of the first look, step between looks. Then for each look
//   head     zigzag(time since the last - step) * 2 + same
//   flags    only when not the same kind of look with the same box, sellers and rank category
//   price    zigzag(difference), when the box has one and it changed; holder, when it changed
//   rank     zigzag(difference); category, when it changed
//   sellers  their names, when they changed; then for each
//            zigzag(units - before) * 4 + unknown * 2 + repriced, followed by price and shipping when repriced
// Names are written out once in a block and meant by their number afterwards.

export const VERSION = 1;

export const BOX_MASK = 0b11;
export const BOX_NOT_SEEN = 0;
export const BOX_NOBODYS = 1;
export const BOX_PRICED = 2;
export const HOLDER_CHANGED = 1 << 2;
export const HAS_RANK = 1 << 3;
export const CATEGORY_CHANGED = 1 << 4;
export const HAS_OFFERS = 1 << 5;
export const COMPLETE = 1 << 6;
export const SELLERS_CHANGED = 1 << 7;
/** What stays true for the next look when it says "same". */
export const KIND_MASK = BOX_MASK | HAS_RANK | HAS_OFFERS | COMPLETE;

/** Followed by something in every look. */
export const SHELF_MASK = HAS_RANK | HAS_OFFERS;

export const UNITS_UNKNOWN = 2;
export const REPRICED = 1;

/** The bytes are not what was written: said by whoever knows where they lie. */
export class DamagedBlock extends Error {}

export type Seller = {
  name: string;
  priceCents: number;
  shippingCents: number;
  units: number;
  unknown: boolean;
};

/** Where a block stands after its last look: what the next one is written against. */
export type State = {
  atSeconds: number;
  stepSeconds: number;
  kind: number;
  priceCents: number;
  holder: number;
  rankPosition: number;
  rankCategory: number;
  /** Numbers of the sellers of the last list, in their order. */
  roster: readonly number[];
  /** Names by number, from 1; 0 is no name. */
  names: Seller[];
};

export const startState = (): State => ({
  atSeconds: 0,
  stepSeconds: 0,
  kind: 0,
  priceCents: 0,
  holder: 0,
  rankPosition: 0,
  rankCategory: 0,
  roster: [],
  names: [],
});

export const zigzag = (value: number) => (value < 0 ? -value * 2 - 1 : value * 2);
export const unzigzag = (value: number) => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

export const newSeller = (name: string): Seller => ({
  name,
  priceCents: 0,
  shippingCents: 0,
  units: 0,
  unknown: false,
});
