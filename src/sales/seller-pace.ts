// How much a seller sells a day and how much that varies, from the seller's own counts.
import { DAY_SECONDS } from '../foundation/time.ts';
import { dropsOf } from './counted-drop.ts';
import type { SellerTrack } from './seller-track.ts';

/** `countedDays`: the time that the pace is counted from. */
export type Pace = { unitsPerDay: number; spread: number; countedDays: number };

/** The variance of few intervals says little: it is pulled towards this many times the mean. */
const SPREAD_USUAL = 3.5;
const SPREAD_USUAL_UNITS = 12;

/** `trimmedPart`: the part of the largest drops that counts less: it may have other causes. */
export function paceOf(track: SellerTrack, trimmedPart = 0): Pace {
  const drops = [...dropsOf(track)];
  const most = largestCounted(
    drops.map(({ units }) => units),
    trimmedPart,
  );
  let units = 0;
  let seconds = 0;
  for (const drop of drops) {
    seconds += drop.toAtSeconds - drop.fromAtSeconds;
    units += Math.min(most, drop.units);
  }
  if (seconds === 0) return { unitsPerDay: 0, spread: SPREAD_USUAL, countedDays: 0 };
  const perSecond = units / seconds;
  let squares = SPREAD_USUAL * SPREAD_USUAL_UNITS;
  for (const drop of drops) {
    const expected = perSecond * (drop.toAtSeconds - drop.fromAtSeconds);
    squares += (Math.min(most, drop.units) - expected) ** 2;
  }
  return {
    unitsPerDay: Number((perSecond * DAY_SECONDS).toPrecision(6)),
    spread: Number((squares / (units + SPREAD_USUAL_UNITS)).toPrecision(4)),
    countedDays: Number((seconds / DAY_SECONDS).toPrecision(4)),
  };
}

function largestCounted(units: number[], trimmedPart: number): number {
  if (trimmedPart === 0) return Number.POSITIVE_INFINITY;
  const positive = units.filter((one) => one > 0).sort((one, other) => other - one);
  return positive[Math.ceil(positive.length * trimmedPart)] ?? Number.POSITIVE_INFINITY;
}
