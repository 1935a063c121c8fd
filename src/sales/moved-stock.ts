// Finds stock that moved from one seller to another between two observations: equal and opposite
// changes that are likelier than a large sale and a restock at the same time.
import { DAY_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import { logChance } from './sales-chance.ts';
import type { SellerTrack } from './seller-track.ts';

/** What a seller usually sells and how it is restocked; see shelf-habit. */
export type SellerPace = {
  unitsPerDay: number;
  spread: number;
  restocksPerDay: number;
  restockUnits: number;
};

/** The chance of a move in an interval, and the units below which a rise may be a return. */
const MOVE_CHANCE = 0.0015;
const MOVED_UNITS_MIN = 3;

type Change = { track: SellerTrack; index: number; dropped: number };

/** Notes the moves in the tracks. The same points give the same moves, wherever tracks begin. */
export function noteMoves(
  tracks: readonly SellerTrack[],
  paceOf: (track: SellerTrack) => SellerPace,
): void {
  if (tracks.length < 2) return;
  const rises = new Map<number, Change[]>();
  for (const track of tracks) {
    track.moved.clear();
    for (let index = 1; index < track.units.length; index++) {
      const dropped = droppedAt(track, index);
      if (dropped > -MOVED_UNITS_MIN || !isCounted(track, index)) continue;
      const key = track.timesSeconds[index] as number;
      const list = rises.get(key);
      if (list === undefined) rises.set(key, [{ track, index, dropped }]);
      else list.push({ track, index, dropped });
    }
  }
  if (rises.size === 0) return;
  for (const track of tracks) {
    for (let index = 1; index < track.units.length; index++) {
      const list = rises.get(track.timesSeconds[index] as number);
      if (list === undefined || !isCounted(track, index)) continue;
      const drop = { track, index, dropped: droppedAt(track, index) };
      for (const rise of list) noteMove(drop, rise, paceOf);
    }
  }
}

function isCounted({ timesSeconds, units }: SellerTrack, index: number): boolean {
  if ((units[index] as number) < 0 || (units[index - 1] as number) < 0) return false;
  return (timesSeconds[index] as number) - (timesSeconds[index - 1] as number) <= GAP_SECONDS;
}

function noteMove(drop: Change, rise: Change, paceOf: (track: SellerTrack) => SellerPace): void {
  const units = -rise.dropped;
  if (drop.dropped < units || drop.track === rise.track || rise.track.moved.has(rise.index)) return;
  if (drop.track.moved.has(drop.index)) return;
  const fromAtSeconds = drop.track.timesSeconds[drop.index - 1] as number;
  if (fromAtSeconds !== rise.track.timesSeconds[rise.index - 1]) return;
  const days = ((drop.track.timesSeconds[drop.index] as number) - fromAtSeconds) / DAY_SECONDS;
  const from = paceOf(drop.track);
  const to = paceOf(rise.track);
  const moved =
    Math.log(MOVE_CHANCE) +
    logChance(drop.dropped - units, (from.unitsPerDay + to.unitsPerDay) * days, from.spread);
  const restocked =
    logChance(drop.dropped, from.unitsPerDay * days, from.spread) +
    Math.log(Math.min(1, to.restocksPerDay * days + 1e-4) / (2 * Math.max(4, to.restockUnits)));
  if (moved <= restocked) return;
  drop.track.moved.set(drop.index, units);
  rise.track.moved.set(rise.index, -units);
}
