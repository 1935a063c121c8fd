// GET /retailer/product/chart.svg and chart.png, POST /retailer/product/chart-links, and the links.
import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { closeAccount } from '../../src/closing/close-account.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { insertEvents } from '../../src/events/events.ts';
import { manualClock, realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { DAY_MS, HOUR_MS } from '../../src/foundation/time.ts';
import { openLink, sealLink } from '../../src/pictures/chart-link.ts';
import { createPngRenderer } from '../../src/pictures/render-png.ts';
import { type Customer, startService } from '../support/service.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const clock = manualClock(NOW);
const service = await startService({ clock });
const { app } = service;
const KEYS = app.encryptionKeys;

let codes = 0;

/** A product observed every hour of the last days; null means that nobody holds the buybox. */
async function stored(
  days: number,
  cents: (hour: number) => number | null = (hour) => 1_999 + (hour % 7),
  name = 'Kettle <1.7 l>',
): Promise<string> {
  const code = `${640_000_000 + codes++}`;
  const snapshots = Array.from({ length: days * 24 }, (_, hour): Snapshot => {
    const priceCents = cents(hour);
    const offer = { sellerName: 'Acme', priceCents: 2_000, shippingCents: 0 };
    return {
      code,
      name,
      observedAtMs: NOW - (days * 24 - 1 - hour) * HOUR_MS,
      gtins: [],
      buybox: priceCents === null ? null : { priceCents, sellerName: 'Acme' },
      rank: { position: 100 + (hour % 13), category: 'Kitchen' },
      offers: [{ ...offer, unitsInStock: 400 - (hour % 300), lastUpdatedAtMs: null }],
      offersComplete: true,
    };
  });
  await recordSnapshots(app, snapshots);
  return code;
}

const newCustomer = () => service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
const chart = (customer: Customer, format: string, code: string, more = '', headers = {}) =>
  service.get(
    customer,
    `/retailer/product/chart.${format}?retailer_product_code=${code}${more}`,
    headers,
  );
const link = (customer: Customer, body: object) =>
  service.send(customer, 'POST', '/retailer/product/chart-links', {
    headers: { 'content-type': 'application/json' },
    payload: JSON.stringify(body),
  });
const open = (url: string, headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
  service.server.inject({ method, url: new URL(url).pathname, headers });
const charged = ({ headers }: { headers: Record<string, unknown> }) =>
  Number(headers['x-credits-charged']);

describe('200', () => {
  it('the SVG shows price, rank and stock, for 15 credits', async () => {
    const customer = await newCustomer();
    const reply = await chart(customer, 'svg', await stored(30), '&range=1m');
    expect([reply.status, charged(reply)]).toEqual([200, 15]);
    expect(reply.headers['content-type']).toBe('image/svg+xml');
    expect(reply.headers['content-security-policy']).toBe("default-src 'none'; sandbox");
    for (const text of ['Kettle &lt;1.7 l&gt;', 'Buybox price', 'Sales rank in Kitchen', '#104']) {
      expect(reply.body).toContain(text);
    }
    expect(reply.body).not.toMatch(/<script|<image|<style|href|on\w+=/i);
  });

  it('the PNG has width and height times the scale', async () => {
    const customer = await newCustomer();
    const code = await stored(3);
    const size = async (more: string) => {
      const url = `/retailer/product/chart.png?retailer_product_code=${code}&range=1w${more}`;
      const headers = { 'x-api-key': customer.apiKey };
      const { rawPayload } = await service.server.inject({ url, headers });
      expect(rawPayload.subarray(1, 4).toString()).toBe('PNG');
      return [rawPayload.readUInt32BE(16), rawPayload.readUInt32BE(20)];
    };
    expect(await size('')).toEqual([1200, 630]);
    expect(await size('&width=400&height=300&scale=3')).toEqual([1200, 900]);
  });

  it('time without a buybox and time without observations are drawn apart', async () => {
    const code = await stored(10, (hour) => (hour < 120 ? 1_999 : null));
    const { body } = await chart(await newCustomer(), 'svg', code, '&range=1m');
    expect(body).toContain('No buybox 17 %');
    expect(body).toContain('Not observed 67 %');
    expect(body).toContain('not observed for 67 % of the time');
  });

  it('shows only the requested series, in either theme', async () => {
    const code = await stored(3);
    const customer = await newCustomer();
    const { body } = await chart(customer, 'svg', code, '&series=price&theme=dark&range=1w');
    expect(body).toContain('Buybox price');
    expect(body).not.toContain('Sales rank');
    expect(body).toContain('#151518');
  });

  it('reads runs and the tail alike: a long history ends with its newest price', async () => {
    const code = await stored(120, (hour) => 1_000 + (hour === 120 * 24 - 1 ? 555 : hour % 50));
    const { body } = await chart(await newCustomer(), 'svg', code, '&range=all');
    expect(body).toContain('$15.55');
    expect(body).toContain('low $10.00 · high $15.55');
    expect(body).not.toContain('Not observed');
  });

  it('marks the events of the account for the product, and of nobody else', async () => {
    const [customer, other] = [await newCustomer(), await newCustomer()];
    const code = await stored(3);
    await app.webhookMonths.ready(NOW);
    const event = { atMs: NOW - DAY_MS, trackedId: newId(), code, payload: '{}' };
    const { accountId } = customer;
    await app.db.transaction((tx) =>
      insertEvents(tx, [
        { ...event, eventId: newId(), accountId, kind: 'price.drop' },
        { ...event, eventId: newId(), accountId, kind: 'stock.low' },
      ]),
    );
    const { body } = await chart(customer, 'svg', code, '&range=1w');
    expect(body).toContain('>2 events<');
    expect(body).toContain('price.drop, 14 Nov 2026, 12:00 UTC');
    expect((await chart(customer, 'svg', code, '&range=1w&series=price')).body).not.toMatch(
      /events</,
    );
    expect((await chart(other, 'svg', code, '&range=1w')).body).not.toMatch(/events</);
  });

  it('from and to may be anywhere in the history', async () => {
    const code = await stored(20);
    const between = '&from=2026-11-01T00:00:00Z&to=2026-11-03T12:00:00Z';
    const { body } = await chart(await newCustomer(), 'svg', code, between);
    expect(body).toContain('1 Nov 2026 – 3 Nov 2026, 12:00 UTC');
  });

  it('a range in which nothing was observed is an empty picture and costs nothing', async () => {
    const customer = await newCustomer();
    const code = await stored(3);
    const before = '&from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z';
    const reply = await chart(customer, 'svg', code, before);
    expect([reply.status, charged(reply)]).toEqual([200, 0]);
    expect(reply.body).toContain('Nothing was observed in this time.');
    expect(await service.used(customer)).toBe(0);
  });
});

describe('free on the same day', () => {
  it('after the price history, a chart or a link to one; and x-max-credits 0 is enough', async () => {
    for (const pay of [
      (customer: Customer, code: string) =>
        service.get(customer, `/retailer/product/price-history?retailer_product_code=${code}`),
      (customer: Customer, code: string) => chart(customer, 'png', code),
      (customer: Customer, code: string) => link(customer, { retailer_product_code: code }),
    ]) {
      const customer = await newCustomer();
      const [code, other] = [await stored(2), await stored(2)];
      expect(charged(await pay(customer, code))).toBe(15);
      const again = await chart(customer, 'svg', code, '', { 'x-max-credits': '0' });
      expect([again.status, charged(again)]).toEqual([200, 0]);
      const dry = await chart(customer, 'svg', code, '&dry_run=true');
      expect(dry.body).toEqual({ credit_cost: 0 });
      expect(charged(await link(customer, { retailer_product_code: code }))).toBe(0);
      // Neither another product nor another account is free.
      expect(charged(await chart(customer, 'svg', other))).toBe(15);
      const somebody = await newCustomer();
      expect((await chart(somebody, 'svg', code, '&dry_run=true')).body.credit_cost).toBe(15);
    }
  });

  it('until the UTC day ends', async () => {
    const customer = await newCustomer();
    const code = await stored(2);
    expect(charged(await chart(customer, 'svg', code))).toBe(15);
    clock.setMs(NOW + DAY_MS);
    expect(charged(await chart(customer, 'svg', code))).toBe(15);
    clock.setMs(NOW);
  });
});

describe('links', () => {
  it('open without a key, cost nothing more, and show the data of their creation', async () => {
    const customer = await newCustomer();
    const code = await stored(3);
    const created = await link(customer, {
      retailer_product_code: code,
      range: '1w',
      series: ['price', 'stock'],
      format: 'svg',
    });
    expect([created.status, charged(created)]).toEqual([201, 15]);
    const { url, expires_at, as_of } = created.body;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/charts\/[\w-]+\.svg$/);
    expect(as_of).toBe(new Date(NOW).toISOString());
    expect(Date.parse(expires_at)).toBeGreaterThan(realNowMs() + 29 * DAY_MS);

    const first = await open(url);
    expect([first.statusCode, first.headers['content-type']]).toEqual([200, 'image/svg+xml']);
    expect(first.payload).toContain('Units in stock');
    clock.setMs(NOW + 2 * HOUR_MS);
    await recordSnapshots(app, [
      {
        code,
        observedAtMs: NOW + HOUR_MS,
        gtins: [],
        buybox: { priceCents: 77_700, sellerName: 'Acme' },
        offersComplete: false,
      },
    ]);
    // Not from the cache of rendered pictures: another process opens it.
    const other = await startService({ clock, database: service.database, isStocked: false });
    const later = await other.server.inject(new URL(url).pathname);
    expect(later.payload).toBe(first.payload);
    clock.setMs(NOW);
    expect(await service.used(customer)).toBe(15);
  });

  it('support HEAD and If-None-Match', async () => {
    const customer = await newCustomer();
    const { url } = (await link(customer, { retailer_product_code: await stored(2) })).body;
    const { headers, rawPayload } = await open(url);
    expect(headers['cache-control']).toBe('public, max-age=3600');
    const head = await open(url, {}, 'HEAD');
    expect([head.statusCode, head.headers.etag]).toEqual([200, headers.etag]);
    expect(Number(head.headers['content-length'])).toBe(rawPayload.length);
    expect((await open(url, { 'if-none-match': headers.etag })).statusCode).toBe(304);
  });

  it('cannot be altered, and do not show whose they are', async () => {
    const customer = await newCustomer();
    const { url } = (await link(customer, { retailer_product_code: await stored(2) })).body;
    const token = /charts\/([\w-]+)\.png$/.exec(url)?.[1] as string;
    const plain = Buffer.from(token, 'base64url').toString('latin1');
    expect(plain).not.toContain(customer.accountId);
    for (let at = 0; at < token.length; at += 7) {
      const letter = token[at] === 'A' ? 'B' : 'A';
      const altered = `${token.slice(0, at)}${letter}${token.slice(at + 1)}`;
      const reply = await open(`http://x/charts/${altered}.png`);
      expect([reply.statusCode, reply.json().code]).toEqual([404, 'chart_link_invalid']);
    }
    for (const file of [token, `${token}.svg`, `${token}.png.png`, '.png', 'x'.repeat(400)]) {
      expect((await open(`http://x/charts/${file}`)).statusCode).toBe(404);
    }
  });

  it('end when they expire, when their key is retired, and when the account is closed', async () => {
    const customer = await newCustomer();
    const code = await stored(2);
    const { url } = (await link(customer, { retailer_product_code: code })).body;
    const token = new URL(url).pathname.slice('/charts/'.length, -'.png'.length);
    const opened = openLink(KEYS, token, realNowMs());
    if (opened === null) throw new Error('the link does not open');
    expect(openLink(KEYS, token, opened.expiresAtMs)).toBeNull();

    // Rotation: a new key in front still opens old links; without the old key they end.
    const [old, fresh] = [KEYS[0] as Buffer, Buffer.alloc(32, 9)];
    expect(openLink([fresh, old], token, realNowMs())?.picture.code).toBe(code);
    expect(openLink([fresh], token, realNowMs())).toBeNull();

    const expired = sealLink(KEYS, { ...opened, expiresAtMs: realNowMs() - 1_000 });
    expect((await open(`http://x/charts/${expired}.png`)).statusCode).toBe(404);
    expect((await open(url)).statusCode).toBe(200);
    await closeAccount(app, customer.accountId);
    expect((await open(url)).statusCode).toBe(404);
  });

  it('are limited in openings per second', async () => {
    const customer = await newCustomer();
    const { url } = (await link(customer, { retailer_product_code: await stored(2) })).body;
    const statuses = await Promise.all(
      Array.from({ length: 60 }, () => open(url).then(({ statusCode }) => statusCode)),
    );
    expect(statuses).toContain(200);
    expect(statuses).toContain(429);
  });
});

describe('refused, free of charge', () => {
  it.each([
    ['', 'parameter_required'],
    ['retailer_product_code=12a', 'product_code_malformed'],
    ['retailer_product_code=1&range=2y', 'parameter_invalid'],
    ['retailer_product_code=1&range=1d&from=2026-11-01T00:00:00Z', 'chart_range_invalid'],
    ['retailer_product_code=1&from=2026-11-15T11:30:00Z', 'chart_range_invalid'],
    ['retailer_product_code=1&from=2027-01-01T00:00:00Z', 'chart_range_invalid'],
    [
      'retailer_product_code=1&from=2026-11-02T00:00:00Z&to=2026-11-01T00:00:00Z',
      'chart_range_invalid',
    ],
    ['retailer_product_code=1&width=319', 'parameter_invalid'],
    ['retailer_product_code=1&height=1001', 'parameter_invalid'],
    ['retailer_product_code=1&series=price,sales', 'parameter_invalid'],
    ['retailer_product_code=1&series=', 'parameter_invalid'],
    ['retailer_product_code=1&theme=pink', 'parameter_invalid'],
    ['retailer_product_code=1&width=1600&height=1000&scale=3', 'picture_too_large'],
  ])('400 for %s', async (query, code) => {
    const customer = await newCustomer();
    const { status, body } = await service.get(customer, `/retailer/product/chart.png?${query}`);
    expect([status, body.code]).toEqual([400, code]);
    expect(await service.used(customer)).toBe(0);
  });

  it('404 for an unknown product, 401 without a key, 405 for HEAD', async () => {
    const customer = await newCustomer();
    expect((await chart(customer, 'svg', '999')).status).toBe(404);
    expect((await link(customer, { retailer_product_code: '999' })).status).toBe(404);
    const url = '/retailer/product/chart.svg?retailer_product_code=1';
    expect((await service.get(null, url)).status).toBe(401);
    expect((await service.send(customer, 'HEAD', url)).status).toBe(405);
    expect(await service.used(customer)).toBe(0);
  });

  it.each([
    {},
    { retailer_product_code: '1', expires_in_days: 0 },
    { retailer_product_code: '1', expires_in_days: 366 },
    { retailer_product_code: '1', series: [] },
    { retailer_product_code: '1', series: ['price', 'sales'] },
    { retailer_product_code: '1', format: 'gif' },
    { retailer_product_code: '1', surprise: true },
  ])('400 for a link with %j', async (body) => {
    const customer = await newCustomer();
    expect((await link(customer, body)).status).toBe(400);
    expect(await service.used(customer)).toBe(0);
  });
});

it('a picture that cannot be rendered fails alone', async () => {
  const renderer = createPngRenderer(app.log);
  const square = (fill: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9" fill="${fill}"/></svg>`;
  const outcomes = await Promise.allSettled([
    renderer.render(square('red'), 1),
    renderer.render('<svg', 1),
    renderer.render(square('blue'), 2),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  await renderer.close();
});
