import { expect, test } from 'vitest';
import { heldUntil, OBSERVED_SPAN_SECONDS } from './observed-span.ts';

const AT_SECONDS = 1_700_000_000;

test('an observation holds until the next one', () => {
  expect(heldUntil(AT_SECONDS, AT_SECONDS + 3600)).toBe(AT_SECONDS + 3600);
});

test('an observation without a successor holds for two days, never longer', () => {
  expect(heldUntil(AT_SECONDS)).toBe(AT_SECONDS + 172_800);
  expect(heldUntil(AT_SECONDS, AT_SECONDS + OBSERVED_SPAN_SECONDS + 1)).toBe(AT_SECONDS + 172_800);
});
