import { expect, test } from 'vitest';
import { outcomeText } from './test-outcome.ts';

type Attempt = Parameters<typeof outcomeText>[0]['attempts'][number];
const attempt = (values: Partial<Attempt>) => ({ attempts: [values as Attempt] });

test('a running attempt has no outcome', () => {
  expect(outcomeText({ attempts: [] })).toBeNull();
  expect(outcomeText(attempt({ outcome: 'pending' }))).toBeNull();
});

test('a received test states status and time', () => {
  const received = attempt({ outcome: 'success', status: 200, duration_ms: 120 });
  expect(outcomeText(received)).toEqual({ isReceived: true, text: 'Test received: 200 in 120 ms' });
});

test('a failed test states the reason and the beginning of the response', () => {
  const failed = attempt({
    outcome: 'failed',
    status: 500,
    duration_ms: 80,
    reason: 'responded with 500',
    response_body: 'not\n now',
  });
  expect(outcomeText(failed)?.text).toBe('Test failed in 80 ms: responded with 500. “not now”');
});

test('a 204 is explained at once', () => {
  const reason = 'responded with 204; only 200 and 201 count as received';
  const failed = attempt({ outcome: 'failed', status: 204, duration_ms: null, reason });
  expect(outcomeText(failed)?.text).toContain('edit the webhook to accept any 2xx');
});
