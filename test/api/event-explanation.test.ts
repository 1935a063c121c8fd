// `explain=true` on events: what led to each of them.
import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-11-15T00:00:00Z'));
const service = await startService({ clock });
const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
const [code] = service.products.map((product) => product.code) as [string];
const send = (method: string, path: string, body?: unknown) =>
  service.send(who, method, path, {
    headers: { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
const { id } = (
  await send('POST', '/retailer/oversight/products', {
    retailer_product_code: code,
    tier: 0,
    rules: { price: { percent: 5 } },
  })
).body;

async function observe(priceCents: number, unitsInStock: number) {
  clock.advanceMs(HOUR_MS);
  const observedAtMs = clock.nowMs();
  const offer = { sellerName: 'Acme', priceCents, shippingCents: 0, unitsInStock };
  const snapshot: Snapshot = {
    code,
    observedAtMs,
    gtins: [],
    offersComplete: true,
    buybox: unitsInStock === 0 ? null : { priceCents, sellerName: 'Acme' },
    offers: [{ ...offer, lastUpdatedAtMs: observedAtMs }],
  };
  await recordSnapshots(service.app, [snapshot]);
  while ((await fanOut(service.app)) > 0);
}
type Event = { type: string; data: object; explanation: Record<string, unknown> };
const events = async (query = '?explain=true&limit=1000'): Promise<Event[]> =>
  (await send('GET', `/retailer/events${query}`)).body;

it('names both observations, the rule, all thresholds with their version, and the guard', async () => {
  await observe(2_000, 50);
  await observe(1_800, 50);
  const drop = (await events()).findLast(({ type }) => type === 'price.drop');
  expect(drop?.explanation).toEqual({
    observations: {
      before: { value: 20, observed_at: '2026-11-15T01:00:00.000Z' },
      after: { value: 18, observed_at: '2026-11-15T02:00:00.000Z' },
    },
    rule: { name: 'price', threshold: { percent: 5, usd: 0.05 } },
    rules: expect.objectContaining({
      price: { percent: 5, usd: 0.05 },
      stock_low: { units: 10, days: 7 },
    }),
    rules_version: expect.stringMatching(/^[0-9a-f]{12}$/),
    detection_version: 1,
    guard: { verdict: 'no_loss', meaning: expect.stringContaining('believed at once') },
    observed: { buybox: true, offers: true, rank: false },
  });
});

it('the version changes with the rules, and the guard confirms a loss', async () => {
  await send('PATCH', `/retailer/oversight/products/${id}`, { rules: { price: { percent: 6 } } });
  await observe(1_500, 50);
  await observe(1_500, 0);
  const drops = (await events()).filter(({ type }) => type === 'price.drop');
  const [first, second] = [drops[0], drops.at(-1)];
  expect(second?.explanation.rule).toMatchObject({ threshold: { percent: 6 } });
  expect(second?.explanation.rules_version).not.toBe(first?.explanation.rules_version);
  const out = (await events()).find(({ type }) => type === 'stock.out');
  expect(out?.explanation.guard).toMatchObject({
    verdict: expect.stringMatching(/stated|confirmed/),
  });
});

it('is absent unless requested, free, and null where an older event has none', async () => {
  for (const event of await events('')) expect(event).not.toHaveProperty('explanation');
  await service.app.db.query('update events set explanation = null');
  const { headers, body } = await send('GET', '/retailer/events?explain=true&limit=1');
  expect(headers['x-credits-charged']).toBe('0');
  expect(headers.link).toContain('explain=true');
  expect(body[0].explanation).toMatchObject({ rules_version: null, guard: null, observed: null });
  expect((await send('GET', '/retailer/events?explain=maybe')).status).toBe(400);
});
