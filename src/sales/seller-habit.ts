// The habit of one seller of a product: how much it sells, and how its shelf is kept.
import type { Pace } from './seller-pace.ts';
import { FREE_SHELF, type ShelfHabit } from './shelf-habit.ts';

export type SellerHabit = ShelfHabit & Pace;

/** A seller about whom nothing is stored. */
export const NEW_SELLER: SellerHabit = {
  ...FREE_SHELF,
  unitsPerDay: 0.5,
  spread: 4,
  countedDays: 0,
  restocksPerDay: 0.08,
  emptied: false,
  restockUnits: 15,
};
