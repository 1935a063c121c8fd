// The stock of each seller of a product as points in time, read from its looks.
import { atOnce, type Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { dayOf, type StockObservation } from './stock-observation.ts';

/** Units of a point that are no count. */
export const UNKNOWN = -1;
export const ABSENT = -2;
export const CAPPED = -3;

/** A count that was unknown for no longer than this is as if nobody had looked. */
export const BRIDGED_SECONDS = 3 * DAY_SECONDS;

export type SellerTrack = {
  sellerName: string;
  /** Ascending, in parallel with `units`. */
  at: number[];
  /** A count, UNKNOWN, ABSENT or CAPPED. */
  units: number[];
};

/** A count of a seller that reaches this is hidden: the marketplace shows no more. */
export type Caps = Readonly<Record<string, number>>;

type Presence = SellerTrack & { cap: number; seenIn: number; isThere: boolean };

/**
 * The first complete list without a seller is a point, and so is the last one before the seller comes (back):
 * what lies between them need not be kept, nothing can be sold there.
 */
export const tracksOf = (
  observations: readonly StockObservation[],
  caps: Caps = {},
): SellerTrack[] => atOnce(trackSteps(observations, caps));

/** The same, a step for each look. */
export function* trackSteps(
  observations: readonly StockObservation[],
  caps: Caps = {},
): Steps<SellerTrack[]> {
  const tracks = new Map<string, Presence>();
  let present: Presence[] = [];
  let completeAt: number | null = null;
  let observationIndex = 0;
  for (const observation of observations) {
    if (observation.offers === undefined) continue;
    yield;
    observationIndex++;
    let seen = 0;
    for (const { sellerName, units } of observation.offers) {
      // Lists mostly name the same sellers in the same order.
      const usual = present[seen];
      const track = usual?.sellerName === sellerName ? usual : trackOf(tracks, sellerName, caps);
      if (track.seenIn === observationIndex) continue;
      if (!track.isThere) {
        if (completeAt !== null && completeAt !== track.at.at(-1)) push(track, completeAt, ABSENT);
        track.isThere = true;
        present.push(track);
      }
      track.seenIn = observationIndex;
      seen++;
      push(track, observation.atSeconds, countOf(units, track.cap));
    }
    if (!observation.offersComplete) continue;
    completeAt = observation.atSeconds;
    if (seen === present.length) continue;
    present = present.filter((track) => {
      if (track.seenIn === observationIndex) return true;
      push(track, observation.atSeconds, ABSENT);
      track.isThere = false;
      return false;
    });
  }
  // In an order that does not depend on who was seen first.
  return [...tracks.values()].sort((one, other) => (one.sellerName < other.sellerName ? -1 : 1));
}

function trackOf(tracks: Map<string, Presence>, sellerName: string, caps: Caps): Presence {
  let track = tracks.get(sellerName);
  if (track === undefined) {
    const cap = Object.hasOwn(caps, sellerName) ? caps[sellerName] : undefined;
    track = {
      sellerName,
      at: [],
      units: [],
      cap: cap ?? Number.POSITIVE_INFINITY,
      seenIn: 0,
      isThere: false,
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
  // Uncountable all day long is one stretch, however often it was looked at.
  if (
    units < 0 &&
    units !== ABSENT &&
    last > 0 &&
    track.units[last] === units &&
    track.units[last - 1] === units &&
    dayOf(track.at[last - 1] as number) === dayOf(atSeconds)
  ) {
    track.at[last] = atSeconds;
    return;
  }
  track.at.push(atSeconds);
  track.units.push(units);
}

/** Drops unknown points at the end that lie between two counts. */
function bridge({ at, units }: SellerTrack, atSeconds: number): void {
  let last = units.length - 1;
  while (units[last] === UNKNOWN) last--;
  if (last < 0 || (units[last] as number) < 0) return;
  if (atSeconds - (at[last] as number) > BRIDGED_SECONDS) return;
  at.length = last + 1;
  units.length = last + 1;
}
