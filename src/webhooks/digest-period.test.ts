// When digests begin and end.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HOUR_MS } from '../foundation/time.ts';
import { type Digest, periodOf } from './digest-period.ts';

const shown = (digest: Digest, at: string) => {
  const { startMs, endMs } = periodOf(digest, Date.parse(at));
  const text = (ms: number) => new Date(ms).toISOString().slice(5, 16);
  return `${text(startMs)} ${text(endMs)}`;
};

test.each([
  ['hour', 'UTC', '2026-11-16T10:00:00Z', '11-16T10:00 11-16T11:00'],
  ['hour', 'UTC', '2026-11-16T10:59:59.999Z', '11-16T10:00 11-16T11:00'],
  ['hour', 'Asia/Kolkata', '2026-11-16T10:29:00Z', '11-16T09:30 11-16T10:30'],
  ['day', 'UTC', '2026-11-16T10:20:00Z', '11-16T00:00 11-17T00:00'],
  ['day', 'Europe/Berlin', '2026-11-16T22:59:00Z', '11-15T23:00 11-16T23:00'],
  ['day', 'Europe/Berlin', '2026-11-16T23:00:00Z', '11-16T23:00 11-17T23:00'],
  // Days of 23 and of 25 hours, and one whose midnight is skipped.
  ['day', 'Europe/Berlin', '2026-03-29T12:00:00Z', '03-28T23:00 03-29T22:00'],
  ['day', 'Europe/Berlin', '2026-10-25T12:00:00Z', '10-24T22:00 10-25T23:00'],
  ['day', 'America/Santiago', '2026-09-06T12:00:00Z', '09-06T04:00 09-07T03:00'],
  // Half an hour is skipped.
  ['hour', 'Australia/Lord_Howe', '2026-10-03T15:20:00Z', '10-03T14:30 10-03T16:00'],
  // Stored by a process that knows more time zones than this one.
  ['day', 'Mars/Base', '2026-11-16T10:20:00Z', '11-16T00:00 11-17T00:00'],
] as const)('%s in %s at %s: %s', (every, timeZone, at, period) => {
  expect(shown({ every, timeZone }, at)).toBe(period);
});

test('every instant is in one period, and periods follow each other without a gap', () => {
  const digest = fc.record({
    every: fc.constantFrom('hour' as const, 'day' as const),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/Santiago'),
  });
  const at = fc.integer({ min: Date.UTC(2025, 0), max: Date.UTC(2030, 0) });
  fc.assert(
    fc.property(digest, at, (chosen, atMs) => {
      const { startMs, endMs } = periodOf(chosen, atMs);
      expect(startMs <= atMs && atMs < endMs).toBe(true);
      expect(endMs - startMs).toBeLessThanOrEqual((chosen.every === 'hour' ? 2 : 25) * HOUR_MS);
      expect(periodOf(chosen, endMs).startMs).toBe(endMs);
      expect(periodOf(chosen, startMs - 1).endMs).toBe(startMs);
    }),
  );
});
