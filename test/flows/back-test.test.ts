// Back-test and live detection count the same over the same observations, also partial ones.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { EVENT_KINDS } from '../../src/events/kind.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/foundation/time.ts';
import { fanOut } from '../../src/tracking/fan-out.ts';
import { phaseMs } from '../../src/tracking/slot.ts';
import { startService } from '../support/service.ts';

const START = Date.parse('2026-11-15T12:00:00Z');

const clock = manualClock(START);
const service = await startService({ clock });
const { app } = service;

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const cents = fc.constantFrom(1_000, 1_005, 1_100, 1_500, 2_000);
const seller = fc.constantFrom('A', 'B', 'C', 'W');
const anyOffer = fc.record({
  sellerName: seller,
  priceCents: cents,
  shippingCents: fc.constantFrom(0, 499),
  unitsInStock: fc.constantFrom(null, 0, 3, 8, 30),
  lastUpdatedAtMs: fc.constant(null),
});
const anyServing = fc.record({
  /** After the previous observation; a few fall into one slot. */
  gapMinutes: fc.constantFrom(7, 25, 60, 60, 60, 130, 24 * 60),
  buybox: maybe(fc.option(fc.record({ priceCents: cents, sellerName: seller }), { freq: 5 })),
  rank: maybe(
    fc.record({
      position: fc.constantFrom(5, 12, 60, 70, 90, 200),
      category: fc.constantFrom('Kettles', 'Kettles', 'Pots'),
    }),
  ),
  offers: maybe(
    fc.uniqueArray(anyOffer, { selector: ({ sellerName }) => sellerName, maxLength: 4 }),
  ),
  offersComplete: fc.boolean(),
});
/** An observation without any part is not stored. */
const anyObservation = anyServing.filter(({ buybox, rank, offers }) =>
  [buybox, rank, offers].some((part) => part !== undefined),
);
type AnyObservation = typeof anyObservation extends fc.Arbitrary<infer T> ? T : never;

const RUNS = 30;
let codes = 0;

async function compare(observations: readonly AnyObservation[], watchedSeller: string | undefined) {
  const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1_000 });
  const code = `${630_000_000 + codes++}`;
  const asSeen = ({ gapMinutes: _, ...observation }: AnyObservation): Snapshot => ({
    code,
    gtins: [],
    observedAtMs: clock.nowMs(),
    ...observation,
    offersComplete: observation.offers !== undefined && observation.offersComplete,
  });
  // At the end of a slot: the first observation sets the baseline of a new watcher and fills no
  // slot.
  clock.setMs(clock.nowMs() + HOUR_MS - ((clock.nowMs() - phaseMs(code)) % HOUR_MS) - MINUTE_MS);
  const buybox = { priceCents: 1_000, sellerName: 'A' } as const;
  const [one] = observations as [AnyObservation];
  await recordSnapshots(app, [asSeen({ ...one, buybox })]);
  const send = (method: string, path: string, body: object) =>
    service.send(customer, method, `/retailer/oversight/products${path}`, {
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(body),
    });
  const more = watchedSeller === undefined ? {} : { seller_name: watchedSeller };
  const added = await send('POST', '', { retailer_product_code: code, tier: 0, ...more });
  expect(added.status).toBe(201);
  for (const observation of observations.slice(1)) {
    clock.advanceMs(observation.gapMinutes * MINUTE_MS);
    await recordSnapshots(app, [asSeen(observation)]);
    while ((await fanOut(app)) > 0);
  }
  const rows = await app.db.query<{ kind: string; count: number }>(
    'select kind, count(*)::int as count from events where account_id = $1 group by 1',
    [customer.accountId],
  );
  const emitted = { ...NOTHING, ...Object.fromEntries(rows.map((row) => [row.kind, row.count])) };
  const tested = await send('POST', `/${added.body.id}/backtest`, { days: 90 });
  expect(tested.body.counts).toEqual(emitted);
  return rows.length;
}

const NOTHING = Object.fromEntries(EVENT_KINDS.map((kind) => [kind, 0]));

it('the back-test counts what was notified, for complete and partial observations', async () => {
  let emitted = 0;
  let compared = 0;
  const observations = fc.array(anyObservation, { minLength: 2, maxLength: 30, size: 'max' });
  await fc.assert(
    fc.asyncProperty(observations, fc.constantFrom(undefined, 'W'), async (list, watched) => {
      emitted += await compare(list, watched);
      compared += 1;
    }),
    { numRuns: RUNS },
  );
  // A busy machine compares fewer lists.
  if (compared === RUNS) expect(emitted).toBeGreaterThan(50);
}, 60_000);
