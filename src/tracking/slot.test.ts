// The properties of slots, for any code, instant and tier.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, SECOND_MS } from '../foundation/time.ts';
import { nextSlot, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds, TIERS } from './tier.ts';

const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
const code = fc.integer({ min: 1, max: 999_999_999 }).map(String);
const interval = fc.constantFrom(...TIERS).map((tier) => intervalSeconds(tier) * SECOND_MS);

describe('slots', () => {
  it('begin at a phase that never changes for a code, spread over the day', () => {
    expect(phaseMs('527182818')).toBe(75_117_000);
    expect(phaseMs('1')).toBe(50_047_000);
    expect(phaseMs('99999999999999999999')).toBe(31_342_000);
    const hours = new Array(24).fill(0);
    for (let index = 0; index < 24_000; index++) {
      hours[Math.floor(phaseMs(String(500_000_000 + index)) / HOUR_MS)]++;
    }
    expect(Math.min(...hours)).toBeGreaterThan(850);
    expect(Math.max(...hours)).toBeLessThan(1150);
  });

  it('every instant lies in one slot, and the next slot begins where it ends', () => {
    fc.assert(
      fc.property(code, instant, interval, (productCode, atMs, intervalMs) => {
        const start = slotStart(atMs, phaseMs(productCode), intervalMs);
        expect(start).toBeLessThanOrEqual(atMs);
        expect(atMs).toBeLessThan(start + intervalMs);
        expect(nextSlot(atMs, phaseMs(productCode), intervalMs)).toBe(start + intervalMs);
        expect(slotStart(start, phaseMs(productCode), intervalMs)).toBe(start);
      }),
    );
  });

  it('a coarse tier’s slots are slots of every finer tier', () => {
    fc.assert(
      fc.property(code, instant, (productCode, atMs) => {
        const starts = TIERS.map((tier) =>
          slotStart(atMs, phaseMs(productCode), intervalSeconds(tier) * SECOND_MS),
        );
        for (const [tier, start] of starts.entries()) {
          for (const finer of TIERS.slice(0, tier)) {
            expect(slotStart(start, phaseMs(productCode), intervalSeconds(finer) * SECOND_MS)).toBe(
              start,
            );
          }
        }
      }),
    );
  });

  it('any 24 hours have 24, 12, 4, 2 or 1 slots, by tier', () => {
    fc.assert(
      fc.property(code, instant, (productCode, fromAtMs) => {
        const counts = TIERS.map((tier) =>
          slotsBetween(
            { fromAtMs, toAtMs: fromAtMs + DAY_MS },
            phaseMs(productCode),
            intervalSeconds(tier) * SECOND_MS,
          ),
        );
        expect(counts).toEqual([24, 12, 4, 2, 1]);
      }),
    );
  });
});
