// When deliveries are held, and until when.
import { expect, test } from 'vitest';
import { isTimeZone } from './local-time.ts';
import { quietUntilMs } from './quiet-hours.ts';

const until = (from: string, to: string, timeZone: string, now: string) => {
  const endMs = quietUntilMs({ from, to, timeZone }, Date.parse(now));
  return endMs === null ? null : new Date(endMs).toISOString();
};

test.each([
  ['22:00', '07:00', 'UTC', '2026-11-15T21:59:59Z', null],
  ['22:00', '07:00', 'UTC', '2026-11-15T22:00:00Z', '2026-11-16T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-11-16T06:59:59Z', '2026-11-16T07:00:00.000Z'],
  ['22:00', '07:00', 'UTC', '2026-11-16T07:00:00Z', null],
  ['12:00', '13:30', 'UTC', '2026-11-16T12:15:20Z', '2026-11-16T13:30:00.000Z'],
  ['22:00', '07:00', 'Europe/Berlin', '2026-11-15T21:30:00Z', '2026-11-16T06:00:00.000Z'],
  ['22:00', '07:00', 'America/New_York', '2026-11-16T03:30:00Z', '2026-11-16T12:00:00.000Z'],
  ['22:00', '07:00', 'Asia/Kolkata', '2026-11-15T17:00:00Z', '2026-11-16T01:30:00.000Z'],
  // Stored by a process that knows more time zones than this one.
  ['22:00', '07:00', 'Mars/Base', '2026-11-15T23:00:00Z', null],
  // The nights in which the clocks change.
  ['22:00', '07:00', 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00.000Z'],
  ['22:00', '07:00', 'Europe/Berlin', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00.000Z'],
])('%s to %s in %s at %s: %s', (from, to, timeZone, now, end) => {
  expect(until(from, to, timeZone, now)).toBe(end);
});

test('knows which time zones exist', () => {
  expect([isTimeZone('Europe/Berlin'), isTimeZone('Mars/Base'), isTimeZone('')]).toEqual([
    true,
    false,
    false,
  ]);
});
