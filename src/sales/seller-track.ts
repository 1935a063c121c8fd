// Builds the track of each seller of a product: its stock as points in time.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** Values of `units` that are not counts. */
export const UNKNOWN = -1;
export const ABSENT = -2;
export const CAPPED = -3;

/** Unknown counts between two counts are ignored if these are no further apart than this. */
export const BRIDGED_SECONDS = 3 * DAY_SECONDS;

export type SellerTrack = {
  sellerName: string;
  /** Ascending; one entry per entry of `units`. */
  timesSeconds: number[];
  /** A count, UNKNOWN, ABSENT or CAPPED. */
  units: number[];
  /** By index: units that left for another seller since the point before; negative: arrived. */
  moved: Map<number, number>;
  /** The highest count that is displayed. */
  cap: number;
};

/**
 * Caps by seller: the marketplace displays no higher count, so a count that reaches it is unknown.
 */
export type Caps = Readonly<Record<string, number>>;

type Presence = SellerTrack & { seenIn: number; isPresent: boolean };

/**
 * The tracks of all sellers. While a seller is absent, only the first and the last complete list
 * without it are points: nothing can be sold in between.
 */
export const tracksOf = (
  observations: readonly StockObservation[],
  caps: Caps = {},
): SellerTrack[] => atOnce(trackSteps(observations, caps));

/** The same in steps, one per observation. */
export function* trackSteps(
  observations: readonly StockObservation[],
  caps: Caps = {},
): Steps<SellerTrack[]> {
  const tracks = new Map<string, Presence>();
  let present: Presence[] = [];
  let completeAtSeconds: number | null = null;
  let observationIndex = 0;
  for (const observation of observations) {
    if (observation.offers === undefined) continue;
    yield;
    observationIndex++;
    let seen = 0;
    for (const { sellerName, units } of observation.offers) {
      // Most lists name the same sellers in the same order.
      const expected = present[seen];
      const track =
        expected?.sellerName === sellerName ? expected : trackOf(tracks, sellerName, caps);
      if (track.seenIn === observationIndex) continue;
      if (!track.isPresent) {
        if (completeAtSeconds !== null && completeAtSeconds !== track.timesSeconds.at(-1))
          push(track, completeAtSeconds, ABSENT);
        track.isPresent = true;
        present.push(track);
      }
      track.seenIn = observationIndex;
      seen++;
      push(track, observation.atSeconds, countOf(units, track.cap));
    }
    if (!observation.offersComplete) continue;
    completeAtSeconds = observation.atSeconds;
    if (seen === present.length) continue;
    present = present.filter((track) => {
      if (track.seenIn === observationIndex) return true;
      push(track, observation.atSeconds, ABSENT);
      track.isPresent = false;
      return false;
    });
  }
  // An order that does not depend on who was observed first.
  return [...tracks.values()].sort((one, other) => (one.sellerName < other.sellerName ? -1 : 1));
}

function trackOf(tracks: Map<string, Presence>, sellerName: string, caps: Caps): Presence {
  let track = tracks.get(sellerName);
  if (track === undefined) {
    const cap = Object.hasOwn(caps, sellerName) ? caps[sellerName] : undefined;
    track = {
      sellerName,
      timesSeconds: [],
      units: [],
      moved: new Map(),
      cap: cap ?? Number.POSITIVE_INFINITY,
      seenIn: 0,
      isPresent: false,
    };
    tracks.set(sellerName, track);
  }
  return track;
}

function countOf(units: number | null, cap: number): number {
  if (units === null) return UNKNOWN;
  return units >= cap ? CAPPED : units;
}

function push(track: SellerTrack, atSeconds: number, units: number): void {
  const last = track.units.length - 1;
  if (units >= 0 && track.units[last] === UNKNOWN) bridge(track, atSeconds);
  // Uncountable all day is one interval, however many observations it has.
  if (
    units < 0 &&
    units !== ABSENT &&
    last > 0 &&
    track.units[last] === units &&
    track.units[last - 1] === units &&
    dayOf(track.timesSeconds[last - 1] as number) === dayOf(atSeconds)
  ) {
    track.timesSeconds[last] = atSeconds;
    return;
  }
  track.timesSeconds.push(atSeconds);
  track.units.push(units);
}

/** Removes unknown points at the end if the count before them is recent enough. */
function bridge({ timesSeconds, units }: SellerTrack, atSeconds: number): void {
  let last = units.length - 1;
  while (units[last] === UNKNOWN) last--;
  if (last < 0 || (units[last] as number) < 0) return;
  if (atSeconds - (timesSeconds[last] as number) > BRIDGED_SECONDS) return;
  timesSeconds.length = last + 1;
  units.length = last + 1;
}
