// The log of a webhook's attempts, tests, retries and recovery, grouped by request and status.
import { describe, expect, it } from 'vitest';
import type { EventKind } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { type Customer, type Reply, startService } from '../support/service.ts';
import { attemptDue, FAILED, newEvent, RECEIVED, record, UNREACHED } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const PATH = '/retailer/webhooks';
const TARGET = 'https://hooks.example.com/oversight';

const clock = manualClock(NOW);
const service = await startService({ clock });

const customer = () => service.newCustomer({ perSecond: 1_000 });
const send = (who: Customer | null, method: string, path: string, body?: unknown) =>
  service.send(who, method, `${PATH}${path}`, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });

type Registered = { who: Customer; id: string };
async function registered(more: object = {}, by?: Customer): Promise<Registered> {
  const who = by ?? (await customer());
  const added = await send(who, 'POST', '', { url: TARGET, events: ['*'], ...more });
  return { who, id: added.body.id };
}
const log = ({ who, id }: Registered, query = ''): Promise<Reply> =>
  send(who, 'GET', `/${id}/deliveries${query}`);
const happened = (who: Customer, kind?: EventKind, at = clock.nowMs()) => {
  const event = newEvent(who, at, kind);
  return record(service, [event]).then(() => event);
};
const idsOf = ({ body }: Reply) => body.map((entry: { id: string }) => entry.id);

/** A webhook with `count` entries in its log, all before the first retry. */
async function withLog(count: number): Promise<Registered> {
  const hook = await registered();
  for (let made = 0; made < count; made++) {
    await happened(hook.who, made % 2 === 0 ? 'price.drop' : 'stock.out');
    await attemptDue(service, hook.who, made % 3 === 0 ? FAILED : RECEIVED);
    clock.advanceMs(100);
  }
  return hook;
}

describe('GET {id}/deliveries, 200', () => {
  it('one entry for each attempt, with its request and outcome', async () => {
    const hook = await registered();
    expect((await log(hook)).body).toEqual([]);
    const at = new Date(clock.nowMs()).toISOString();
    const event = await happened(hook.who);
    const [deliveryId] = await attemptDue(service, hook.who, FAILED);
    const response = await log(hook);
    expect(response.status).toBe(200);
    expect(response.headers['x-credits-charged']).toBe('0');
    expect(response.body).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        delivery_id: deliveryId,
        event_id: event.eventId,
        timestamp: at,
        endpoint: TARGET,
        event: 'price.drop',
        status: 500,
        outcome: 'failed',
        duration_ms: 12,
        payload_bytes: Buffer.byteLength(event.payload),
        attempt: 1,
        reason: 'responded with 500; only 200 and 201 count as received',
      },
    ]);
  });

  it('newest first: failed, failed without a response, received, and in flight', async () => {
    const hook = await registered();
    await happened(hook.who);
    for (const outcome of [FAILED, UNREACHED, RECEIVED]) {
      await attemptDue(service, hook.who, outcome);
      clock.advanceMs(HOUR_MS);
    }
    await happened(hook.who, 'stock.low');
    await attemptDue(service, hook.who, null);
    const rows = (await log(hook)).body.map(
      (entry: Record<string, unknown>) =>
        [entry.attempt, entry.outcome, entry.status, entry.duration_ms, entry.reason] as const,
    );
    expect(rows).toEqual([
      [1, 'pending', null, null, null],
      [3, 'success', 200, 12, null],
      [2, 'failed', null, 12, 'connection refused'],
      [1, 'failed', 500, 12, expect.stringContaining('responded with 500')],
    ]);
    expect(
      new Set((await log(hook)).body.map((one: { delivery_id: string }) => one.delivery_id)).size,
    ).toBe(2);
  });

  it('shows the URL an attempt went to, even after it was changed', async () => {
    const hook = await registered();
    await happened(hook.who);
    await attemptDue(service, hook.who, RECEIVED);
    clock.advanceMs(1_000);
    await send(hook.who, 'PATCH', `/${hook.id}`, { url: 'https://other.example.com/' });
    await happened(hook.who);
    await attemptDue(service, hook.who, RECEIVED);
    const endpoints = (await log(hook)).body.map((one: { endpoint: string }) => one.endpoint);
    expect(endpoints).toEqual(['https://other.example.com/', TARGET]);
  });

  it('filtered by event and outcome', async () => {
    const hook = await withLog(6);
    const shown = async (query: string) =>
      (await log(hook, query)).body.map((one: Record<string, unknown>) => [one.event, one.outcome]);
    expect(await shown('?event=price.drop')).toHaveLength(3);
    expect(await shown('?outcome=failed')).toHaveLength(2);
    expect(await shown('?event=stock.out&outcome=failed')).toEqual([['stock.out', 'failed']]);
    expect(await shown('?event=rank.lost')).toEqual([]);
    expect(await shown('?event=webhook.test')).toEqual([]);
    expect(await shown('?outcome=pending')).toEqual([]);
  });

  it('in pages, each entry once, by the Link header, which keeps the filters', async () => {
    const hook = await withLog(7);
    const whole = idsOf(await log(hook));
    expect(whole).toHaveLength(7);
    for (const [query, expected] of [
      ['?limit=2', whole],
      ['?limit=7', whole],
      ['?limit=1&outcome=failed', idsOf(await log(hook, '?outcome=failed'))],
      ['?limit=1&event=price.drop', idsOf(await log(hook, '?event=price.drop'))],
    ] as const) {
      const pages: string[] = [];
      let path = `/${hook.id}/deliveries${query}`;
      for (let page = 0; page < 10; page++) {
        const response = await send(hook.who, 'GET', path);
        pages.push(...idsOf(response));
        const link = /<\/retailer\/webhooks([^>]*)>; rel="next"/.exec(`${response.headers.link}`);
        if (link === null) break;
        path = link[1] as string;
      }
      expect(pages).toEqual(expected);
    }
  });

  it('30 days, although whole months are stored', async () => {
    const before = clock.nowMs();
    const hook = await withLog(1);
    clock.setMs(before + 30 * DAY_MS);
    expect((await log(hook)).body).toHaveLength(1);
    clock.advanceMs(1);
    expect((await log(hook)).body).toEqual([]);
  });

  it('only of this webhook, even if another got the same event', async () => {
    const one = await registered();
    const two = await registered({}, one.who);
    await happened(one.who);
    await attemptDue(service, one.who, RECEIVED);
    const [first, second] = [(await log(one)).body, (await log(two)).body];
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(first[0].event_id).toBe(second[0].event_id);
    expect(first[0].delivery_id).not.toBe(second[0].delivery_id);
  });

  it('updates last_delivery_at and success_rate of the webhook', async () => {
    const hook = await withLog(3);
    const shown = (await send(hook.who, 'GET', `/${hook.id}`)).body;
    expect(shown.last_delivery_at).toBe((await log(hook)).body[0].timestamp);
    expect(shown.success_rate).toBe(100);
  });
});

describe('GET {id}/deliveries, 400', async () => {
  const hook = await registered();
  it.each([
    ['limit=0', /limit must be a whole number from 1 to 1000/],
    ['limit=1001', /limit must be/],
    ['limit=x', /limit must be/],
    ['after=x', /after must be a cursor/],
    [`after=${Buffer.from('[1]').toString('base64url')}`, /after must be a cursor/],
    [`after=${Buffer.from('[-1,"x"]').toString('base64url')}`, /after must be a cursor/],
    [`after=${Buffer.from('[1e300,"x"]').toString('base64url')}`, /after must be a cursor/],
    ['event=price.dropped', /event must be one of/],
    ['event=*', /event must be one of/],
    ['outcome=succeeded', /outcome must be success, failed, pending/],
  ])('%s', async (query, sentence) => {
    const response = await log(hook, `?${query}`);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

describe('POST {id}/test', () => {
  it('202, and a delivery of type webhook.test is due at once, without a charge', async () => {
    const hook = await registered({ events: ['rank.lost'] });
    const sent = await send(hook.who, 'POST', `/${hook.id}/test`);
    expect(sent.status).toBe(202);
    expect(sent.body).toEqual({ delivery_id: expect.any(String), event_id: expect.any(String) });
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([sent.body.delivery_id]);
    const [entry] = (await log(hook, '?event=webhook.test')).body;
    expect(entry).toMatchObject({ ...sent.body, event: 'webhook.test', outcome: 'success' });
    expect(entry.payload_bytes).toBeGreaterThanOrEqual(400);
    expect(entry.payload_bytes).toBeLessThanOrEqual(2_100);
    expect(sent.headers['x-credits-charged']).toBe('0');
  });

  it('also while paused; nothing else is sent', async () => {
    const hook = await registered({ status: 'Paused' });
    await happened(hook.who);
    const sent = await send(hook.who, 'POST', `/${hook.id}/test`, {});
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([sent.body.delivery_id]);
  });

  it('is not an event', async () => {
    const hook = await registered();
    await send(hook.who, 'POST', `/${hook.id}/test`);
    await attemptDue(service, hook.who, RECEIVED);
    expect((await service.get(hook.who, '/retailer/events')).body).toEqual([]);
  });
});

describe('POST deliveries/{delivery_id}/retry', () => {
  const retry = (who: Customer, deliveryId: string) =>
    send(who, 'POST', `/deliveries/${deliveryId}/retry`);

  it('202, and one more attempt is sent at once with the same id', async () => {
    const hook = await registered();
    await happened(hook.who);
    const [deliveryId] = await attemptDue(service, hook.who, FAILED);
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([]);
    const response = await retry(hook.who, deliveryId as string);
    expect([response.status, response.body]).toEqual([202, { delivery_id: deliveryId }]);
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([deliveryId]);
    const rows = (await log(hook)).body.map((one: Record<string, unknown>) => one.delivery_id);
    expect(rows).toEqual([deliveryId, deliveryId]);
  });

  it('also for a received delivery, and for a test', async () => {
    const hook = await registered();
    await happened(hook.who);
    await send(hook.who, 'POST', `/${hook.id}/test`);
    const sent = await attemptDue(service, hook.who, RECEIVED);
    expect(sent).toHaveLength(2);
    for (const deliveryId of sent) {
      expect((await retry(hook.who, deliveryId.toUpperCase())).status).toBe(202);
    }
    expect((await attemptDue(service, hook.who, RECEIVED)).sort()).toEqual(sent.sort());
  });

  it('404 for unknown ids, those of other accounts, and removed webhooks', async () => {
    const hook = await registered();
    await happened(hook.who);
    const [deliveryId] = await attemptDue(service, hook.who, FAILED);
    const other = await customer();
    for (const id of [deliveryId as string, newId(), 'nonsense', hook.id, '%00']) {
      expect((await retry(other, id)).status).toBe(404);
    }
    expect((await retry(hook.who, hook.id)).status).toBe(404);
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([]);
    await send(hook.who, 'DELETE', `/${hook.id}`);
    expect((await retry(hook.who, deliveryId as string)).status).toBe(404);
  });
});

describe('POST {id}/recover', () => {
  const recover = ({ who, id }: Registered, since: unknown) =>
    send(who, 'POST', `/${id}/recover`, { since });
  const ago = (ms: number) => new Date(clock.nowMs() - ms).toISOString();

  it('202 with the number of subscribed events since then that were not received', async () => {
    const who = await customer();
    await happened(who, 'price.drop', clock.nowMs() - 3 * HOUR_MS);
    const hook = await registered({ events: ['price.drop', 'stock.out'] }, who);
    const late = await happened(who, 'price.drop', clock.nowMs() - HOUR_MS);
    await attemptDue(service, hook.who, RECEIVED);
    await happened(who, 'stock.out', clock.nowMs());
    await attemptDue(service, hook.who, FAILED);
    await happened(who, 'rank.lost', clock.nowMs());
    expect((await recover(hook, ago(2 * HOUR_MS))).body).toEqual({ deliveries: 1 });
    const response = await recover(hook, ago(4 * HOUR_MS));
    expect([response.status, response.body]).toEqual([202, { deliveries: 2 }]);
    expect(await attemptDue(service, hook.who, RECEIVED)).toHaveLength(2);
    expect((await recover(hook, ago(4 * HOUR_MS))).body).toEqual({ deliveries: 0 });
    const received = (await log(hook, '?outcome=success')).body;
    const ids = received.map((one: { event_id: string }) => one.event_id);
    expect(ids).toHaveLength(3);
    expect(ids.filter((id: string) => id === late.eventId)).toHaveLength(1);
  });

  it('includes the given time, with any offset', async () => {
    const hook = await registered({ status: 'Paused' });
    const at = clock.nowMs() - HOUR_MS;
    await happened(hook.who, 'price.drop', at);
    const later = new Date(at + 1).toISOString();
    expect((await recover(hook, later)).body).toEqual({ deliveries: 0 });
    const local = new Date(at + 2 * HOUR_MS).toISOString().replace('Z', '+02:00');
    expect((await recover(hook, local)).body).toEqual({ deliveries: 1 });
  });

  it('events during a pause are sent once it is active', async () => {
    const hook = await registered({ status: 'Paused' });
    await happened(hook.who);
    expect((await recover(hook, ago(HOUR_MS))).body).toEqual({ deliveries: 1 });
    expect(await attemptDue(service, hook.who, RECEIVED)).toEqual([]);
    await send(hook.who, 'PATCH', `/${hook.id}`, { status: 'Active' });
    expect(await attemptDue(service, hook.who, RECEIVED)).toHaveLength(1);
  });

  it('nothing of other accounts, nothing older than 30 days, nothing of the future', async () => {
    const hook = await registered();
    await happened(await customer());
    const old = clock.nowMs() - 30 * DAY_MS;
    await happened(hook.who, 'price.drop', old - 1);
    await attemptDue(service, hook.who, FAILED);
    expect((await recover(hook, ago(60 * DAY_MS))).body).toEqual({ deliveries: 0 });
    expect((await recover(hook, '2000-01-01T00:00:00Z')).body).toEqual({ deliveries: 0 });
    for (const end of ['9999-12-31T23:59:59Z', '9999-12-31T23:59:59.999-23:59']) {
      expect((await recover(hook, end)).status).toBe(202);
    }
    expect((await recover(hook, '0000-01-01T00:00:00+23:59')).status).toBe(202);
  });

  it.each([
    [undefined, /since is required/],
    [null, /since must be a time/],
    [5, /since must be a time/],
    ['', /since must be a time/],
    ['yesterday', /since must be a time/],
    ['2026-11-14', /since must be a time/],
    ['2026-11-14T12:00:00', /since must be a time/],
    ['2026-02-30T12:00:00Z', /since must be a time/],
    ['2016-12-31T23:59:60Z', /since must be a time/],
  ])('400 for %j', async (since, sentence) => {
    const response = await recover(await registered(), since);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

it('the delivery loop is signalled when a delivery becomes due, and not before', async () => {
  const { deliverySignal } = service.app;
  const { raise } = deliverySignal;
  let raised = 0;
  deliverySignal.raise = () => {
    raised++;
    raise();
  };
  const hook = await registered();
  await happened(hook.who);
  const [deliveryId] = await attemptDue(service, hook.who, FAILED);
  const since = new Date(clock.nowMs() - HOUR_MS).toISOString();
  await send(hook.who, 'PATCH', `/${hook.id}`, { status: 'Paused' });
  expect(raised).toBe(0);
  await send(hook.who, 'PATCH', `/${hook.id}`, { status: 'Active' });
  expect(raised).toBe(1);
  await send(hook.who, 'POST', `/${hook.id}/test`);
  expect(raised).toBe(2);
  await send(hook.who, 'POST', `/${hook.id}/recover`, { since });
  expect(raised).toBe(3);
  await send(hook.who, 'POST', `/deliveries/${deliveryId}/retry`);
  expect(raised).toBe(4);
});
