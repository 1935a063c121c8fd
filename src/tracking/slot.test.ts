import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { nextSlot, phaseMs, slotStart, slotsBetween } from './slot.ts';
import { intervalSeconds, TIERS } from './tier.ts';

const instant = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
const code = fc.integer({ min: 1, max: 999_999_999 }).map(String);
const interval = fc.constantFrom(...TIERS).map((tier) => intervalSeconds(tier) * 1000);

describe('slots', () => {
  it('lie at a phase that never changes for a code, spread over the day', () => {
    expect(phaseMs('527182818')).toBe(75_117_000);
    expect(phaseMs('1')).toBe(50_047_000);
    expect(phaseMs('99999999999999999999')).toBe(31_342_000);
    const hours = new Array(24).fill(0);
    for (let index = 0; index < 24_000; index++) {
      hours[Math.floor(phaseMs(String(500_000_000 + index)) / 3_600_000)]++;
    }
    expect(Math.min(...hours)).toBeGreaterThan(850);
    expect(Math.max(...hours)).toBeLessThan(1150);
  });

  it('every time lies in one slot, and the next begins where it ends', () => {
    fc.assert(
      fc.property(code, instant, interval, (own, at, intervalMs) => {
        const start = slotStart(at, phaseMs(own), intervalMs);
        expect(start).toBeLessThanOrEqual(at);
        expect(at).toBeLessThan(start + intervalMs);
        expect(nextSlot(at, phaseMs(own), intervalMs)).toBe(start + intervalMs);
        expect(slotStart(start, phaseMs(own), intervalMs)).toBe(start);
      }),
    );
  });

  it('a coarse tier’s slots are slots of every finer tier', () => {
    fc.assert(
      fc.property(code, instant, (own, at) => {
        const starts = TIERS.map((tier) =>
          slotStart(at, phaseMs(own), intervalSeconds(tier) * 1000),
        );
        for (const [tier, start] of starts.entries()) {
          for (const finer of TIERS.slice(0, tier)) {
            expect(slotStart(start, phaseMs(own), intervalSeconds(finer) * 1000)).toBe(start);
          }
        }
      }),
    );
  });

  it('a day has 24, 12, 4, 2 and 1 of them, wherever it begins', () => {
    fc.assert(
      fc.property(code, instant, (own, from) => {
        const counts = TIERS.map((tier) =>
          slotsBetween({ from, to: from + DAY_MS }, phaseMs(own), intervalSeconds(tier) * 1000),
        );
        expect(counts).toEqual([24, 12, 4, 2, 1]);
      }),
    );
  });
});
