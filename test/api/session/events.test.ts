// The list of events, newest first, and the details of one delivery.
import { describe, expect, test } from 'vitest';
import type { NewEvent } from '../../../src/events/events.ts';
import { manualClock } from '../../../src/foundation/clock.ts';
import { DAY_MS } from '../../../src/foundation/time.ts';
import { startService } from '../../support/service.ts';
import { sendRequest, signedIn } from '../../support/session.ts';
import {
  attemptDue,
  FAILED,
  newEvent,
  RECEIVED,
  record,
  register,
} from '../../support/webhooks.ts';

const clock = manualClock(Date.parse('2026-11-15T10:00:00Z'));
const service = await startService({ clock });
const person = await signedIn(service);
const now = clock.nowMs();
const at = (path: string) => sendRequest(service, person, { method: 'GET', path });

await service.app.webhookMonths.ready(now - 31 * DAY_MS);
const events = [
  newEvent(person, now - 31 * DAY_MS),
  newEvent(person, now - 3_000, 'price.drop'),
  newEvent(person, now - 2_000, 'stock.out'),
  { ...newEvent(person, now - 2_000, 'price.drop'), code: '500100001' },
  newEvent(person, now - 1_000, 'buybox.lost' as never),
];
const [old, ...recent] = events;

const withData = (event: NewEvent, data: object): NewEvent => {
  const payload = JSON.parse(event.payload);
  return { ...event, payload: JSON.stringify({ ...payload, data: { ...payload.data, ...data } }) };
};

describe('events', async () => {
  await record(service, events);

  test('are listed newest first, 30 days back, each with its payload', async () => {
    const { status, body } = await at('/session/events');
    expect(status).toBe(200);
    const expected = recent.toSorted((a, b) => b.atMs - a.atMs || (a.eventId < b.eventId ? 1 : -1));
    expect(body.map(({ id }: { id: string }) => id)).toEqual(
      expected.map(({ eventId }) => eventId),
    );
    expect(JSON.stringify(body)).not.toContain(old?.eventId);
    const { type, timestamp, data } = JSON.parse(String(expected[0]?.payload));
    expect(body[0]).toMatchObject({ type, timestamp, data });
  });

  test('in pages and by filters, each once', async () => {
    const seen: string[] = [];
    for (let path: string | undefined = '/session/events?limit=1&type=price.drop'; path; ) {
      const page = await at(path);
      seen.push(...page.body.map(({ id }: { id: string }) => id));
      path = /<(\/session\/events\?[^>]+)>/.exec(String(page.headers.link))?.[1];
    }
    const drops = recent.filter(({ kind }) => kind === 'price.drop');
    expect(seen.sort()).toEqual(drops.map(({ eventId }) => eventId).sort());
    const { body } = await at('/session/events?retailer_product_code=500100001');
    expect(body.map(({ id }: { id: string }) => id)).toEqual([events[3]?.eventId]);
  });

  test('by tag and words, from first to last, also when a page has none', async () => {
    const busy = await signedIn(service);
    const get = (path: string) => sendRequest(service, busy, { method: 'GET', path });
    const plain = Array.from({ length: 3_100 }, (_, n) => newEvent(busy, now - 10_000 - n));
    const rare = withData(newEvent(busy, now - 3_600_000), {
      product_name: 'Walnut Tray',
      tags: ['kitchen'],
    });
    await record(service, [...plain, rare]);
    for (const filter of ['q=TRAY+walnut', 'tag=kitchen', 'tag=kitchen&q=tray']) {
      const pages: string[][] = [];
      for (let path: string | undefined = `/session/events?limit=5&${filter}`; path; ) {
        const page = await get(path);
        pages.push(page.body.map(({ id }: { id: string }) => id));
        path = /<(\/session\/events\?[^>]+)>/.exec(String(page.headers.link))?.[1];
      }
      expect([pages.length, pages.flat()]).toEqual([2, [rare.eventId]]);
    }
    const csv = await get('/session/events.csv?q=walnut');
    const [head, line, end] = csv.body.split('\r\n');
    expect(head).toMatch(/^timestamp,type,retailer_product_code,product_name,before,after,/);
    expect(line).toContain('Walnut Tray,21.99,19.99,');
    expect(end).toBe('');
  });

  test('by a range of time, whose end is exclusive', async () => {
    const iso = (ms: number) => new Date(ms).toISOString();
    const range = `from=${iso(now - 3_000)}&to=${iso(now - 2_000)}`;
    const { body } = await at(`/session/events?${range}`);
    expect(body.map(({ id }: { id: string }) => id)).toEqual([recent[0]?.eventId]);
  });

  test('the largest moves of the last day lead, one per product', async () => {
    const { body } = await at('/session/moves');
    expect(body).toMatchObject([
      { type: 'buybox.lost', change: null },
      { type: 'price.drop', change: expect.closeTo(-0.091, 3) },
    ]);
    expect((await at('/session/moves?limit=1')).body).toHaveLength(1);
  });

  test.each(['type=nonsense', 'limit=0', 'after=x', 'retailer_product_code=a', 'from=x', 'tag='])(
    '400 for %s',
    async (query) => {
      expect((await at(`/session/events?${query}`)).status).toBe(400);
    },
  );
});

describe('a delivery', async () => {
  const other = await signedIn(service);
  const otherAt = (path: string) => sendRequest(service, other, { method: 'GET', path });
  const hook = await register(service.app, {
    accountId: other.accountId,
    url: 'https://h.example/x',
  });
  const event = newEvent(other, now);
  await record(service, [event]);
  const [id] = await attemptDue(service, other, { ...FAILED, responseBody: '<b>not now</b>' });
  clock.advanceMs(3_600_000);
  await attemptDue(service, other, RECEIVED);

  test('shows what was sent, and every response with its body', async () => {
    const { status, body } = await otherAt(`/session/deliveries/${id}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      delivery_id: id,
      webhook_id: hook.webhookId,
      event_id: event.eventId,
      event: 'price.drop',
      state: 'succeeded',
      payload: JSON.parse(event.payload),
    });
    const attempts = body.attempts.map((one: Record<string, unknown>) => [
      one.attempt,
      one.status,
      one.response_body,
    ]);
    expect(attempts.sort()).toEqual([
      [1, 500, '<b>not now</b>'],
      [2, 200, 'ok'],
    ]);
    // An endpoint's response is never served as a page of the dashboard.
    const { headers } = await otherAt(`/session/deliveries/${id}`);
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    expect(JSON.stringify(body)).not.toContain(hook.secret);
  });

  test('with explain=true says what led to the event, and nothing for a test', async () => {
    const explained = async (delivery: string | undefined) =>
      (await otherAt(`/session/deliveries/${delivery}?explain=true`)).body;
    const { explanation, payload } = await explained(id);
    const { before, after, rule } = payload.data;
    expect(explanation).toMatchObject({ observations: { before, after }, rule, guard: null });
    const path = `/session/retailer/webhooks/${hook.webhookId}/test`;
    const test = await sendRequest(service, other, { method: 'POST', path });
    expect(await explained(test.body.delivery_id)).toMatchObject({ explanation: null });
    expect((await otherAt(`/session/deliveries/${id}`)).body).not.toHaveProperty('explanation');
  });

  test.each(['nonsense', '%00', '01a1dd99-01d8-703f-9951-f5e96b148bbf'])(
    '404 for %s',
    async (other) => {
      expect((await otherAt(`/session/deliveries/${other}`)).status).toBe(404);
    },
  );

  test('is sent again, and tests are sent, by requests without a body', async () => {
    const post = (path: string) => sendRequest(service, other, { method: 'POST', path });
    expect((await post(`/session/retailer/webhooks/deliveries/${id}/retry`)).status).toBe(202);
    expect((await post(`/session/retailer/webhooks/${hook.webhookId}/test`)).status).toBe(202);
  });
});
