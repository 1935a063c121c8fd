// GET /retailer/events, grouped by status.
import { describe, expect, it } from 'vitest';
import { EVENT_KINDS } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { type Customer, type Reply, startService } from '../support/service.ts';
import { newEvent, record } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-15T10:00:00Z');
const PATH = '/retailer/events';

const clock = manualClock(NOW);
const service = await startService({ clock });

const customer = () => service.newCustomer({ perSecond: 1_000 });
const feed = (who: Customer | null, query = '') => service.get(who, `${PATH}${query}`);
const idsOf = ({ body }: Reply) => body.map((event: { id: string }) => event.id);
const nextOf = ({ headers }: Reply) =>
  /<\/retailer\/events([^>]*)>; rel="next"/.exec(String(headers.link ?? ''))?.[1];

/** `count` events, a minute apart, ascending up to a time. */
async function happened(who: Customer, count: number, until = NOW) {
  const events = Array.from({ length: count }, (_, index) =>
    newEvent(who, until - (count - index) * 60_000, EVENT_KINDS[index % EVENT_KINDS.length]),
  );
  // Inserted in another order, but none of them late.
  await record(service, events.toReversed());
  return events;
}

describe('200', () => {
  it('each event with its id, type, time and the data of its deliveries', async () => {
    const who = await customer();
    const [event] = await happened(who, 1);
    const response = await feed(who);
    expect(response.status).toBe(200);
    const { type, timestamp, data } = JSON.parse(event?.payload ?? '');
    expect(response.body).toEqual([
      { id: event?.eventId, type, timestamp, data, cursor: expect.any(String) },
    ]);
    expect(response.body[0]).toMatchObject({
      type: 'buybox.won',
      timestamp: '2026-11-15T09:59:00.000Z',
      data: { event_id: event?.eventId, product_name: 'Acme Kettle 1.7 l', tier: 0 },
    });
    expect(response.headers['x-credits-charged']).toBe('0');
    expect(response.headers['ratelimit-policy']).toContain('"account"');
    expect(await service.used(who)).toBe(0);
  });

  it('all kinds, oldest first, without any webhook', async () => {
    const who = await customer();
    const events = await happened(who, EVENT_KINDS.length);
    const response = await feed(who);
    expect(response.body.map((one: { type: string }) => one.type)).toEqual(EVENT_KINDS);
    expect(idsOf(response)).toEqual(events.map(({ eventId }) => eventId));
  });

  it('an event recorded late comes after the cursor of a reader', async () => {
    const who = await customer();
    const early = newEvent(who, NOW - 60_000);
    await record(service, [{ ...early, recordedAtMs: NOW }]);
    const [{ cursor }] = (await feed(who)).body;
    const late = newEvent(who, NOW - 3_600_000);
    await record(service, [{ ...late, recordedAtMs: NOW + 1 }]);
    expect(idsOf(await feed(who, `?after=${cursor}`))).toEqual([late.eventId]);
  });

  it('empty for an account without events, whatever others have', async () => {
    await happened(await customer(), 3);
    expect((await feed(await customer())).body).toEqual([]);
  });

  it('in pages, each event once, by the Link header; the last has none', async () => {
    const who = await customer();
    const events = await happened(who, 7);
    for (const limit of [1, 3, 6, 7, 1000]) {
      const pages: string[] = [];
      let query: string | undefined = `?limit=${limit}`;
      for (let page = 0; page < 10 && query !== undefined; page++) {
        const response = await feed(who, query);
        expect(response.body.length).toBeGreaterThan(0);
        pages.push(...idsOf(response));
        query = nextOf(response);
      }
      expect(pages).toEqual(events.map(({ eventId }) => eventId));
    }
  });

  it('100 without a limit', async () => {
    const who = await customer();
    await happened(who, 101);
    const first = await feed(who);
    expect(first.body).toHaveLength(100);
    expect((await feed(who, nextOf(first))).body).toHaveLength(1);
  });

  it('the cursor distinguishes events of the same time', async () => {
    const who = await customer();
    const events = Array.from({ length: 5 }, () => newEvent(who, NOW - 1_000));
    await record(service, events);
    const seen: string[] = [];
    let query = '?limit=2';
    for (let page = 0; page < 3; page++) {
      const response = await feed(who, query);
      seen.push(...idsOf(response));
      query = nextOf(response) ?? '';
    }
    expect(seen.sort()).toEqual(events.map(({ eventId }) => eventId).sort());
  });

  it('the cursor of the last event leads to later ones', async () => {
    const who = await customer();
    await happened(who, 2);
    const { cursor } = (await feed(who)).body.at(-1);
    expect((await feed(who, `?after=${cursor}`)).body).toEqual([]);
    const later = newEvent(who, NOW);
    await record(service, [later]);
    expect(idsOf(await feed(who, `?after=${cursor}`))).toEqual([later.eventId]);
  });

  it('until a cursor, on every page', async () => {
    const who = await customer();
    const events = await happened(who, 5);
    const until = (await feed(who)).body[3].cursor;
    const first = await feed(who, `?limit=3&until=${until}`);
    const last = await feed(who, nextOf(first));
    expect([...idsOf(first), ...idsOf(last)]).toEqual(
      events.slice(0, 4).map(({ eventId }) => eventId),
    );
    expect(nextOf(last)).toBeUndefined();
    expect((await feed(who, '?until=nonsense')).body.field).toBe('until');
  });

  it('a cursor of another account reveals nothing', async () => {
    const [who, other] = [await customer(), await customer()];
    await happened(who, 3);
    const { cursor } = (await feed(who)).body[0];
    expect((await feed(other, `?after=${cursor}`)).body).toEqual([]);
  });

  it('30 days, even with an older cursor, although whole months are stored', async () => {
    const who = await customer();
    const old = newEvent(who, NOW - 30 * DAY_MS - 1);
    const just = newEvent(who, NOW - 30 * DAY_MS);
    await record(service, [old, just]);
    expect(idsOf(await feed(who))).toEqual([just.eventId]);
    const ancient = Buffer.from(`[0,"${old.eventId}"]`).toString('base64url');
    expect(idsOf(await feed(who, `?after=${ancient}`))).toEqual([just.eventId]);
  });
});

describe('400', async () => {
  const who = await customer();
  const cursor = (json: string) => Buffer.from(json).toString('base64url');
  it.each([
    ['limit=0', /limit must be a whole number from 1 to 1000/],
    ['limit=1001', /limit must be/],
    ['limit=1.5', /limit must be/],
    ['limit=all', /limit must be/],
    ['after=', /after must be a cursor/],
    ['after=x', /after must be a cursor/],
    ['after=01a1dd99-01d8-703f-9951-f5e96b148bbf', /after must be a cursor/],
    [`after=${cursor('{}')}`, /after must be a cursor/],
    [`after=${cursor('[1,2]')}`, /after must be a cursor/],
    [`after=${cursor('["2026","01a1dd99-01d8-703f-9951-f5e96b148bbf"]')}`, /after must be/],
    [`after=${cursor('[-1,"01a1dd99-01d8-703f-9951-f5e96b148bbf"]')}`, /after must be/],
    [`after=${cursor('[1e300,"01a1dd99-01d8-703f-9951-f5e96b148bbf"]')}`, /after must be/],
    [`after=${'x'.repeat(201)}`, /after must be/],
  ])('%s', async (query, sentence) => {
    const response = await feed(who, `?${query}`);
    expect(response.status).toBe(400);
    expect(response.body.message).toMatch(sentence);
  });
});

describe('401 and 405', () => {
  it('401 without a key', async () => {
    expect((await feed(null)).status).toBe(401);
  });

  it('405 for other methods than GET', async () => {
    const response = await service.send(await customer(), 'POST', PATH);
    expect([response.status, response.headers.allow]).toEqual([405, 'GET']);
  });
});
