// How much a seller sells a day and how much that varies, from the seller's own counts.
import { DAY_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import type { SellerTrack } from './seller-track.ts';

/** `countedDays`: the time that the pace is counted from. */
export type Pace = { unitsPerDay: number; spread: number; countedDays: number };

/** The variance of few intervals says little: it is pulled towards this many times the mean. */
const SPREAD_USUAL = 3.5;
const SPREAD_USUAL_UNITS = 12;

/** `trimmedPart`: the part of the largest drops that counts less: it may have other causes. */
export function paceOf(track: SellerTrack, trimmedPart = 0): Pace {
  // Numbers instead of drops as objects: this runs over every observation several times.
  const drops: number[] = [];
  const lengths: number[] = [];
  const { timesSeconds, units: counts } = track;
  for (let index = 1; index < counts.length; index++) {
    if ((counts[index] as number) < 0 || (counts[index - 1] as number) < 0) continue;
    const length = (timesSeconds[index] as number) - (timesSeconds[index - 1] as number);
    const dropped = droppedAt(track, index);
    if (dropped < 0 || length > GAP_SECONDS) continue;
    drops.push(dropped);
    lengths.push(length);
  }
  const most = largestCounted(drops, trimmedPart);
  let units = 0;
  let seconds = 0;
  for (let index = 0; index < drops.length; index++) {
    seconds += lengths[index] as number;
    units += Math.min(most, drops[index] as number);
  }
  if (seconds === 0) return { unitsPerDay: 0, spread: SPREAD_USUAL, countedDays: 0 };
  const perSecond = units / seconds;
  let squares = SPREAD_USUAL * SPREAD_USUAL_UNITS;
  for (let index = 0; index < drops.length; index++) {
    const expected = perSecond * (lengths[index] as number);
    squares += (Math.min(most, drops[index] as number) - expected) ** 2;
  }
  return {
    unitsPerDay: Number((perSecond * DAY_SECONDS).toPrecision(6)),
    spread: Number((squares / (units + SPREAD_USUAL_UNITS)).toPrecision(4)),
    countedDays: Number((seconds / DAY_SECONDS).toPrecision(4)),
  };
}

function largestCounted(units: readonly number[], trimmedPart: number): number {
  if (trimmedPart === 0) return Number.POSITIVE_INFINITY;
  const positive = units.filter((one) => one > 0).sort((one, other) => other - one);
  return positive[Math.ceil(positive.length * trimmedPart)] ?? Number.POSITIVE_INFINITY;
}
