import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Admission } from './rate-limiter.ts';
import { emptyLog, takeFrom } from './sliding-log.ts';

const admitted = (left: number): Admission => ({ admitted: true, holdMs: 0, left });
const held = (holdMs: number): Admission => ({ admitted: true, holdMs, left: 0 });
const refused = (retryAfterMs: number): Admission => ({ admitted: false, retryAfterMs, left: 0 });

type Step = [nowMs: number, perSecond: number, decision: Admission];

/** As many requests at once as the limit allows. */
const burst = (nowMs: number, perSecond: number): Step[] =>
  Array.from({ length: perSecond }, (_, index) => [
    nowMs,
    perSecond,
    admitted(perSecond - index - 1),
  ]);

test.each<[string, Step[]]>([
  [
    'the limit counts down',
    [
      [0, 3, admitted(2)],
      [1, 3, admitted(1)],
      [2, 3, admitted(0)],
      [3, 3, refused(997)],
    ],
  ],
  [
    'a second later there is room again, and who was refused did not count',
    [
      [0, 1, admitted(0)],
      [949, 1, refused(51)],
      [1000, 1, admitted(0)],
      [1949.5, 1, refused(51)],
      [2000, 1, admitted(0)],
    ],
  ],
  [
    'who is 50 ms early is held, and counts from when its time comes',
    [
      [0, 1, admitted(0)],
      [950, 1, held(50)],
      [1949, 1, refused(51)],
      [1950, 1, held(50)],
    ],
  ],
  [
    'ten are held, not more',
    [
      ...burst(0, 20),
      ...Array.from({ length: 10 }, (): Step => [960, 20, held(40)]),
      [960, 20, refused(40)],
      [1000, 20, admitted(9)],
    ],
  ],
  [
    'a limit of 0 refuses everything',
    [
      [0, 0, refused(1000)],
      [5000, 0, refused(1000)],
    ],
  ],
  [
    'a raised limit lets in at once, also past who is held',
    [
      [0, 1, admitted(0)],
      [960, 1, held(40)],
      [961, 3, admitted(0)],
      [962, 3, held(38)],
    ],
  ],
  [
    'a lowered limit counts what went before',
    [
      [0, 3, admitted(2)],
      [100, 3, admitted(1)],
      [200, 1, refused(900)],
      [1050, 1, held(50)],
    ],
  ],
  [
    'above 100 an admission counts from the end of its slot of 10 ms',
    [...burst(3, 101), [959, 101, refused(51)], [1009, 101, held(1)], [1010, 101, admitted(99)]],
  ],
  [
    'crossing 100 keeps the count, both ways',
    [
      [0, 2, admitted(1)],
      [1, 2, admitted(0)],
      [2, 200, admitted(197)],
      [3, 2, refused(998)],
      [3, 200, admitted(196)],
    ],
  ],
  [
    'the largest limit is as exact as any other at its edge',
    [
      [0, 1_000_000, admitted(999_999)],
      [1, 1_000_000, admitted(999_998)],
      [1, 2, refused(999)],
    ],
  ],
])('%s', (_, steps) => {
  const log = emptyLog();
  for (const [nowMs, perSecond, decision] of steps) {
    expect(takeFrom(log, nowMs, perSecond)).toEqual(decision);
  }
});

test('however a limit changes, no request joins a second that is full by the limit it came under', () => {
  const limits = fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 95, max: 110 }));
  const gapsMs = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(0, 1, 7) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 1100 }) },
  );
  const phases = fc.array(fc.tuple(limits, fc.array(gapsMs, { maxLength: 120 })), { maxLength: 6 });
  fc.assert(
    fc.property(phases, (sequence) => {
      const log = emptyLog();
      const handledMs: number[] = [];
      let nowMs = 0;
      for (const [perSecond, gaps] of sequence) {
        for (const gap of gaps) {
          nowMs += gap;
          const decision = takeFrom(log, nowMs, perSecond);
          if (!decision.admitted) continue;
          const atMs = nowMs + decision.holdMs;
          handledMs.push(atMs);
          expect(fullestSecondWith(atMs, handledMs)).toBeLessThanOrEqual(perSecond);
        }
      }
    }),
    { numRuns: 200 },
  );
});

/** The most that any window (t − 1 s, t] which contains this moment holds. */
function fullestSecondWith(momentMs: number, handledMs: readonly number[]): number {
  const near = handledMs.filter((atMs) => Math.abs(atMs - momentMs) < 1000);
  const ends = near.filter((atMs) => atMs >= momentMs);
  const counts = ends.map((end) => near.filter((at) => at > end - 1000 && at <= end).length);
  return Math.max(...counts);
}
