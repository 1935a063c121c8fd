// Endpoint health after an attempt, and when the service pauses a webhook.
import { describe, expect, test } from 'vitest';
import { DAY_MS } from '../foundation/time.ts';
import { afterAttempt, type EndpointHealth } from './endpoint-health.ts';

const atMs = Date.UTC(2026, 10, 15);
const fine: EndpointHealth = {
  status: 'Active',
  pausedReason: null,
  pauseCause: null,
  pausedAtMs: null,
  firstFailureAtMs: null,
  attemptsSinceSuccess: 0,
};
const failed = (when = atMs) => ({ atMs: when, isReceived: false, isGone: false });
const failing = (days: number, attempts: number): EndpointHealth => ({
  ...fine,
  firstFailureAtMs: atMs - days * DAY_MS,
  attemptsSinceSuccess: attempts,
});

describe('a webhook', () => {
  test('keeps the time of its first failure until a success', () => {
    const once = afterAttempt(fine, failed());
    expect(once).toMatchObject({
      firstFailureAtMs: atMs,
      attemptsSinceSuccess: 1,
      status: 'Active',
    });
    expect(afterAttempt(once, failed(atMs + 1))).toMatchObject({ firstFailureAtMs: atMs });
    expect(afterAttempt(once, { atMs, isReceived: true, isGone: false })).toEqual(fine);
  });

  test.each([
    [failing(5, 9), 'Paused'],
    [failing(5, 8), 'Active'],
    [failing(4.99, 500), 'Active'],
    [failing(90, 500), 'Paused'],
  ])('with the health %j is %s after a failure', (before, status) => {
    expect(afterAttempt(before, failed()).status).toBe(status);
  });

  test('whose endpoint responds with 410 is paused at once, with the reason', () => {
    expect(afterAttempt(fine, { ...failed(), isGone: true })).toMatchObject({
      status: 'Paused',
      pausedReason: 'the endpoint responded with 410: it is gone',
    });
  });

  test('paused by the customer gets no other reason', () => {
    const paused: EndpointHealth = { ...failing(9, 99), status: 'Paused' };
    expect(afterAttempt(paused, { ...failed(), isGone: true })).toMatchObject({
      status: 'Paused',
      pausedReason: null,
      attemptsSinceSuccess: 100,
    });
    const received = { atMs, isReceived: true, isGone: false };
    expect(afterAttempt(paused, received).status).toBe('Paused');
  });
});
