// The sales of one seller between each two observations. A decrease is counted. A rise is read by
// the seller's habits: units that came back, a restock to a level, by packs, or a free one. Time
// without counts is filled in by the rate, or may hide sales.
import type { Steps } from '../background/slices.ts';
import { DAY_SECONDS } from '../foundation/time.ts';
import { droppedAt, GAP_SECONDS } from './counted-drop.ts';
import { addCounted, addSpan, addUncertainTime, type DaySums, noteRisk } from './day-sums.ts';
import { DAY_WEIGHT, weightBetween } from './hour-shape.ts';
import type { Fit } from './product-habit.ts';
import {
  beforeRestock,
  longIntervalUnits,
  missedParts,
  packReading,
  type Refill,
  returnOdds,
  returnsOf,
} from './restock-reading.ts';
import { meanUpTo } from './sales-chance.ts';
import type { ReadingKind } from './sales-trace.ts';
import { knownRate, longSeconds, type Reading, rankRate, rateAt } from './seller-rate.ts';
import { ABSENT, CAPPED, type SellerTrack } from './seller-track.ts';

/** Shorter intervals hardly hide restocks. */
const HIDING_DAYS_MIN = 0.17;
/** The part of the restocks that hide in a decrease. */
const HIDING_PART = 0.22;

/** Adds the sales of a seller to the days, in steps, one per uncounted interval. */
export function* addTrack(sums: DaySums, reading: Reading): Steps<void> {
  const { track, fit } = reading;
  const { timesSeconds, units } = track;
  const sumsFromAtSeconds = sums.firstDay * DAY_SECONDS;
  const sumsToAtSeconds = sumsFromAtSeconds + sums.days * DAY_SECONDS;
  const longest = longSeconds(fit);
  const possibleCap = possibleCapOf(fit, track);
  sums.trace?.from(track.sellerName);
  for (let index = 1; index < timesSeconds.length; index++) {
    const fromAtSeconds = timesSeconds[index - 1] as number;
    const toAtSeconds = timesSeconds[index] as number;
    if (toAtSeconds <= sumsFromAtSeconds || fromAtSeconds >= sumsToAtSeconds) continue;
    if (toAtSeconds - fromAtSeconds > GAP_SECONDS) continue;
    const before = units[index - 1] as number;
    const after = units[index] as number;
    const span = { fromAtSeconds, toAtSeconds };
    if (track.moved.has(index)) noteReading(sums, track, { index, kind: 'transfer' });
    if (before >= 0 && after >= 0) {
      if (after === possibleCap) addAboveCap(sums, reading, index);
      if (toAtSeconds - fromAtSeconds > longest) addLong(sums, reading, index);
      else if (track.refills.has(index)) addRefill(sums, reading, index);
      else {
        const dropped = droppedAt(track, index);
        if (dropped < 0) addRise(sums, reading, index);
        else {
          if (dropped > 0) addCounted(sums, { ...span, units: dropped });
          addHiddenSales(sums, reading, index);
          if (before === possibleCap && after < before) addAboveCap(sums, reading, index);
          continue;
        }
      }
      yield;
    } else if (before === ABSENT || after === ABSENT) {
      if (before !== after) addPresence(sums, reading, index);
    } else addUnknown(sums, reading, index);
  }
}

/** Notes how an interval was read, if the days are to be explained. */
function noteReading(
  { trace }: DaySums,
  { sellerName, timesSeconds, units }: SellerTrack,
  { index, kind }: { index: number; kind: ReadingKind },
): void {
  if (trace === null) return;
  const countAt = (point: number) => {
    const count = units[point] as number;
    return count < 0 ? null : count;
  };
  trace.read({
    kind,
    sellerName,
    fromAtSeconds: timesSeconds[index - 1] as number,
    toAtSeconds: timesSeconds[index] as number,
    before: countAt(index - 1),
    after: countAt(index),
  });
}

const possibleCapOf = ({ habit }: Fit, { sellerName }: SellerTrack): number | undefined =>
  habit !== null && Object.hasOwn(habit.possibleCaps, sellerName)
    ? habit.possibleCaps[sellerName]
    : undefined;

/** The count may be a cap: more may have been sold than it shows. */
function addAboveCap(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const span = { fromAtSeconds, toAtSeconds };
  noteReading(sums, track, { index, kind: 'possible_cap' });
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const weight = weightBetween(track.line, fromAtSeconds, toAtSeconds) / DAY_WEIGHT;
  const units = Math.max(unitsPerDay * weight, 1e-2);
  addUncertainTime(sums, 'hiddenPart', span);
  addSpan(sums, { ...span, units, method: 'at_least', lean: null });
}

/** A decrease may hide a restock, and units that came back. */
function addHiddenSales(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const returns = days * returnsOf(track.habit, fit.model.returnsPerDay);
  const isUnchanged = droppedAt(track, index) === 0;
  let units = isUnchanged ? 0 : returns;
  if (days >= HIDING_DAYS_MIN) {
    const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
    const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
    const cover = (track.units[index - 1] as number) / Math.max(mean, 1e-6);
    units += mean * missedParts(fit.model, { days, cover }).hidden;
    // An unchanged count may be a unit sold and another that came back.
    const undone = isUnchanged ? returns * (1 - Math.exp(-mean)) : 0;
    noteRisk(sums, toAtSeconds, track.habit.restocksPerDay * days * HIDING_PART + undone);
  }
  if (units < 1e-3) return;
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'inferred', spread, lean: null });
}

/** Refilled to a level: what is missing from it was sold since, and some units before. */
function addRefill(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  noteReading(sums, track, { index, kind: 'restock_to_level' });
  const { refillAtSeconds, soldAfter } = track.refills.get(index) as Refill;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  if (soldAfter > 0)
    addCounted(sums, { fromAtSeconds: refillAtSeconds, toAtSeconds, units: soldAfter });
  if (refillAtSeconds <= fromAtSeconds) return;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean =
    (unitsPerDay * weightBetween(track.line, fromAtSeconds, refillAtSeconds)) / DAY_WEIGHT;
  const { spread } = track.habit;
  const before = { fromAtSeconds, toAtSeconds: refillAtSeconds };
  const units = meanUpTo(track.units[index - 1] as number, mean, spread);
  addSpan(sums, { ...before, units, method: 'inferred', spread, lean: null });
}

function addRise(sums: DaySums, reading: Reading, index: number): void {
  const { track, fit } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const { habit } = track;
  const span = { fromAtSeconds, toAtSeconds, method: 'inferred' as const, spread: habit.spread };
  const risen = -droppedAt(track, index);
  const before = track.units[index - 1] as number;
  const returned = returnOdds({ risen, before, mean, days, habit, model: fit.model });
  const packed = packReading(habit, { risen, mean });
  const kept = 1 - returned;
  const restock = packed.part > 0.5 ? ('restock_in_packs' as const) : ('restock' as const);
  noteReading(sums, track, { index, kind: returned > 0.5 ? 'returned' : restock });
  addSpan(sums, { ...span, units: packed.units * packed.part * kept, lean: null });
  const free = kept * (1 - packed.part);
  const early = beforeRestock(before, mean / 2, {
    model: fit.model,
    habit,
    jumpUnits: fit.habit?.jumpUnits ?? null,
  });
  addSpan(sums, { ...span, units: early * free, lean: 'early' });
  const { after } = missedParts(fit.model, { days, cover: before / Math.max(mean, 1e-6) });
  addSpan(sums, { ...span, units: (mean / 2) * after * free, lean: 'late' });
}

/** Nobody observed for days: the decrease, or the usual sales if a restock may hide in it. */
function addLong(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  noteReading(sums, track, { index, kind: 'not_observed' });
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const days = (toAtSeconds - fromAtSeconds) / DAY_SECONDS;
  const dropped = droppedAt(track, index);
  const units = longIntervalUnits({ dropped, mean, days, habit: track.habit });
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'typical', spread, lean: null });
}

/** The seller was present for a part of the time. Units left at the departure were not sold. */
function addPresence(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const before = track.units[index - 1] as number;
  const { unitsPerDay } = rateAt(reading, (fromAtSeconds + toAtSeconds) / 2);
  const mean = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const units = before >= 0 ? Math.min(before, mean / 2) : mean / 2;
  const isGone = track.units[index] === ABSENT;
  const lean = isGone ? ('early' as const) : ('late' as const);
  noteReading(sums, track, { index, kind: isGone ? 'left' : 'arrived' });
  const { spread } = track.habit;
  addSpan(sums, { fromAtSeconds, toAtSeconds, units, method: 'inferred', spread, lean });
}

/** A count is unknown or at its cap: sales are typical if the seller has a rate, else hidden. */
function addUnknown(sums: DaySums, reading: Reading, index: number): void {
  const { track } = reading;
  const fromAtSeconds = track.timesSeconds[index - 1] as number;
  const toAtSeconds = track.timesSeconds[index] as number;
  const span = { fromAtSeconds, toAtSeconds };
  const before = track.units[index - 1] as number;
  const after = track.units[index] as number;
  const capped = before === CAPPED || after === CAPPED;
  noteReading(sums, track, { index, kind: capped ? 'at_cap' : 'count_unknown' });
  // At least what is missing from the cap was sold.
  if (before === CAPPED && after >= 0 && after < track.cap)
    addCounted(sums, { ...span, units: track.cap - after });
  const rate = knownRate(reading, (fromAtSeconds + toAtSeconds) / 2);
  if (rate === null) {
    addUncertainTime(sums, 'blind', span);
    return;
  }
  const { isOwn } = rate;
  // A rank may say more than the slow time below a cap.
  const byRank = capped ? rankRate(reading, (fromAtSeconds + toAtSeconds) / 2) : 0;
  const unitsPerDay = Math.max(rate.unitsPerDay, byRank);
  const units = (unitsPerDay * weightBetween(track.line, fromAtSeconds, toAtSeconds)) / DAY_WEIGHT;
  const { spread } = track.habit;
  if (isOwn && !capped) addSpan(sums, { ...span, units, method: 'typical', spread, lean: null });
  else {
    addUncertainTime(sums, 'hiddenPart', span);
    addSpan(sums, { ...span, units: Math.max(units, 1e-2), method: 'at_least', lean: null });
  }
}
