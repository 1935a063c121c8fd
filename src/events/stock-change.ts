// How much there is of a product in all: running low, out, and back.
import { type Comparison, tell } from './comparison.ts';
import { type FiredRule, type Observation, observed } from './detected-event.ts';
import { totalUnits } from './observed-look.ts';
import type { StockState } from './watch-state.ts';

/** Told again only after there was so many times the threshold. */
const REARM_FACTOR = 1.5;

/** An unknown total changes nothing. */
export function afterStock(stock: StockState | null, comparison: Comparison): StockState | null {
  const units = totalUnits(comparison.look);
  if (units === null) return stock;
  const out = units === 0;
  if (stock === null) {
    const lowArmed = lowRule(units, comparison) === null;
    return { out, lowArmed, units, atSeconds: comparison.look.atSeconds };
  }
  const lowArmed = isLowArmed(stock, units, comparison);
  if (out !== stock.out) {
    tell(comparison, {
      kind: out ? 'stock.out' : 'stock.restored',
      before: unitsBefore(stock, comparison),
      value: units,
    });
  }
  if (out === stock.out && lowArmed === stock.lowArmed) return stock;
  return { out, lowArmed, units, atSeconds: comparison.look.atSeconds };
}

/** Tells that the stock is low, when it is and that was not told; nothing left is not low, but out. */
function isLowArmed(stock: StockState, units: number, comparison: Comparison): boolean {
  const { rules, estimatedUnitsPerDay } = comparison;
  const rule = lowRule(units, comparison);
  if (rule === null) {
    const lowest = Math.max(
      rules.stockLow.units,
      rules.stockLow.days * (estimatedUnitsPerDay ?? 0),
    );
    return stock.lowArmed || units > REARM_FACTOR * lowest;
  }
  if (stock.lowArmed && units > 0) {
    const before = unitsBefore(stock, comparison);
    const reason =
      rule.threshold?.days === undefined
        ? null
        : `under ${rule.threshold.days} days of estimated sales`;
    tell(comparison, { kind: 'stock.low', before, value: units, rule, reason });
  }
  return false;
}

/** The part of the rule by which so many units are low; null when they are not. */
function lowRule(units: number, { rules, estimatedUnitsPerDay }: Comparison): FiredRule | null {
  const { stockLow } = rules;
  if (units <= stockLow.units) return { name: 'stock_low', threshold: { units: stockLow.units } };
  if (estimatedUnitsPerDay === null || units >= stockLow.days * estimatedUnitsPerDay) return null;
  return { name: 'stock_low', threshold: { days: stockLow.days } };
}

function unitsBefore(stock: StockState, { before }: Comparison): Observation {
  const units = before === null ? null : totalUnits(before);
  return before === null || units === null
    ? observed(stock.units, stock.atSeconds)
    : observed(units, before.atSeconds);
}
