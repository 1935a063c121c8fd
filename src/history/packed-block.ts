// The format of packed observations: differences from one observation to the next, written as small
// numbers. An unchanged buybox costs one byte, and so does a small change of a seller's stock.
//
// A block: version, time of the first observation, usual step. Then for each observation
//   head     zigzag(time since the last - step) * 2 + same
//   flags    unless `same`: same kind of observation, same buybox, sellers and rank category
//   price    zigzag(difference), if the buybox changed and has a price; holder, if it changed
//   rank     zigzag(difference); category, if it changed
//   sellers  their names, if they changed; then for each seller
//            zigzag(units - before) * 4 + unknown * 2 + repriced; if repriced, price and shipping
// A name is written out once per block; afterwards its number stands for it.

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
/** The flags that a `same` observation repeats. */
export const KIND_MASK = BOX_MASK | HAS_RANK | HAS_OFFERS | COMPLETE;

/** Kinds that write values in every observation, even a `same` one. */
export const SHELF_MASK = HAS_RANK | HAS_OFFERS;

export const UNITS_UNKNOWN = 2;
export const REPRICED = 1;

/** The bytes are not what was written. Readers log it with the key of the block. */
export class DamagedBlock extends Error {}

export type Seller = {
  name: string;
  priceCents: number;
  shippingCents: number;
  units: number;
  unknown: boolean;
};

/**
 * The values after the last observation of a block; the next one is written as differences to them.
 */
export type State = {
  atSeconds: number;
  stepSeconds: number;
  kind: number;
  priceCents: number;
  holder: number;
  rankPosition: number;
  rankCategory: number;
  /** Numbers of the sellers of the last list, in its order. */
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
