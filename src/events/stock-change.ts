// Total units in stock over all offers: low, out, and restored.
import { type Comparison, emit, observedBeforeAtSeconds } from './comparison.ts';
import { type FiredRule, type ObservedValue, observed } from './detected-event.ts';
import { isSoldOut, type ObservedState, totalUnits } from './observed-state.ts';
import type { Rules } from './rule.ts';
import type { BoxState, StockState } from './watch-state.ts';

/** Low stock is notified again only after the stock exceeded this multiple of the threshold. */
const REARM_FACTOR = 1.5;

/**
 * An unknown total changes nothing, except that a buybox where there was none shows that a product
 * that was out of stock is sold again. `box` is the state before this observation.
 */
export function afterStock(
  stock: StockState | null,
  box: BoxState | null,
  comparison: Comparison,
): StockState | null {
  const { observation, rules } = comparison;
  if (stock?.out && isOnSaleAgain(box, observation)) return afterReturn(stock, comparison);
  const units = totalUnits(observation);
  // A list from before the return does not count it.
  if (units === null || (stock?.units === null && observation.carried?.offers)) return stock;
  const out = units === 0;
  if (stock === null) {
    const lowArmed = lowRule(units, rules.stockLow, comparison) === null;
    // Somebody held the box, so the product was in stock, though nobody counted it.
    if (isSoldOut(observation) && isHeld(box)) {
      const before = observed(null, observedBeforeAtSeconds(comparison));
      emit(comparison, { kind: 'stock.out', before, value: units });
    }
    return { out, lowArmed, units, atSeconds: observation.atSeconds, lowBy: rules.stockLow };
  }
  const { lowArmed, lowBy } = observation.carried?.offers
    ? // Carried offers under a newer estimate or threshold do not show that stock is low now.
      { lowArmed: stock.lowArmed && !out, lowBy: stock.lowBy }
    : { lowArmed: isLowArmed(stock, units, comparison), lowBy: rules.stockLow };
  if (out !== stock.out) {
    emit(comparison, {
      kind: out ? 'stock.out' : 'stock.restored',
      before: unitsBefore(stock, comparison),
      value: units,
    });
  }
  if (out === stock.out && lowArmed === stock.lowArmed && isSameLine(lowBy, stock.lowBy)) {
    return stock;
  }
  return { out, lowArmed, units, atSeconds: observation.atSeconds, lowBy };
}

/** Somebody holds a box that was lost, and no newer list says how many units there are. */
function isOnSaleAgain(box: BoxState | null, observation: ObservedState): boolean {
  if (!box?.lost || !observation.buybox || observation.carried?.buybox) return false;
  return observation.carried?.offers === true || totalUnits(observation) === null;
}

function afterReturn(stock: StockState, comparison: Comparison): StockState {
  const before = unitsBefore(stock, comparison);
  emit(comparison, { kind: 'stock.restored', before, value: null });
  const { atSeconds } = comparison.observation;
  return { ...stock, out: false, units: null, atSeconds };
}

const isHeld = (box: BoxState | null) =>
  box !== null && !box.lost && box.suppressedAtSeconds === null;

type StockLow = Rules['stockLow'];
const isSameLine = (a: StockLow, b: StockLow) => a.units === b.units && a.days === b.days;

/**
 * Emits `stock.low` if stock is low and that was not notified yet (zero units is out, not low), and
 * returns whether the rule is armed afterwards. Stock that is low only by a changed threshold is a
 * new baseline without an event: the customer moved, not the stock.
 */
function isLowArmed(stock: StockState, units: number, comparison: Comparison): boolean {
  const { stockLow } = comparison.rules;
  const isMoved = !isSameLine(stockLow, stock.lowBy);
  const rule = lowRule(units, stockLow, comparison);
  if (rule === null) {
    const lowest = Math.max(stockLow.units, stockLow.days * (comparison.estimatedUnitsPerDay ?? 0));
    return stock.lowArmed || isMoved || units > REARM_FACTOR * lowest;
  }
  const isNews = !isMoved || lowRule(units, stock.lowBy, comparison) !== null;
  if (stock.lowArmed && units > 0 && isNews) {
    const before = unitsBefore(stock, comparison);
    const reason =
      rule.threshold?.days === undefined
        ? null
        : `under ${rule.threshold.days} days of estimated sales`;
    emit(comparison, { kind: 'stock.low', before, value: units, rule, reason });
  }
  return false;
}

/** The part of the rule by which this many units are low; null when they are not. */
function lowRule(
  units: number,
  stockLow: StockLow,
  { estimatedUnitsPerDay }: Comparison,
): FiredRule | null {
  if (units <= stockLow.units) return { name: 'stock_low', threshold: { units: stockLow.units } };
  if (estimatedUnitsPerDay === null || units >= stockLow.days * estimatedUnitsPerDay) return null;
  return { name: 'stock_low', threshold: { days: stockLow.days } };
}

function unitsBefore(stock: StockState, { before }: Comparison): ObservedValue {
  const units = before === null ? null : totalUnits(before);
  return before === null || units === null
    ? observed(stock.units, stock.atSeconds)
    : observed(units, before.atSeconds);
}
