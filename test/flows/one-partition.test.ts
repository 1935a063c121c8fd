// The statements of requests and loops, explained on a copy of the lane tables that is partitioned
// by a hash of the lane, as shards are: each touches the partition of its lanes and no other.
import { expect, it } from 'vitest';
import { LANES, TABLES } from '../../src/database/families.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { HOUR_MS } from '../../src/foundation/time.ts';
import { onStatement } from '../support/database.ts';
import { isFanOut, lanesOf, tableUses } from '../support/lane-rules.ts';
import { type Service, startService } from '../support/service.ts';
import { openSink } from '../support/sink.ts';
import { driveOversight, track } from '../support/tracking.ts';

const PARTITIONS = 4;
const LANE_TABLES = Object.entries(TABLES).flatMap(([name, { kind }]) =>
  kind === 'lane' ? [name] : [],
);

/** Creates the copy in a schema of its own; returns the partition of each lane. */
async function createPartitioned({ app: { db } }: Service): Promise<number[]> {
  await db.query('create schema shards');
  for (const table of LANE_TABLES) {
    await db.query(
      `create table shards.${table} (like public.${table} including all) partition by hash (lane)`,
    );
    for (let part = 0; part < PARTITIONS; part++) {
      await db.query(
        `create table shards.${table}_shard${part} partition of shards.${table}
           for values with (modulus ${PARTITIONS}, remainder ${part})`,
      );
    }
  }
  const rows = await db.query<{ part: number }>(
    `select part from generate_series(0, ${LANES - 1}) as lanes(lane),
                      generate_series(0, ${PARTITIONS - 1}) as parts(part)
      where satisfies_hash_partition('shards.accounts'::regclass, ${PARTITIONS}, part,
                                     lane::smallint)
      order by lane`,
  );
  return rows.map(({ part }) => part);
}

/** Everything that customers and loops do every day. */
async function useService(service: Service, clock: ReturnType<typeof manualClock>): Promise<void> {
  const oversight = driveOversight(service, clock);
  const sink = await openSink();
  for (let customer = 0; customer < 4; customer++) {
    const who = await service.newCustomer({ plan: 'Scale', perSecond: 1_000 });
    await service.send(who, 'POST', '/retailer/webhooks', {
      payload: JSON.stringify({ url: sink.url, events: ['*'] }),
      headers: { 'content-type': 'application/json' },
    });
    for (const { code } of service.products) {
      for (const path of ['details', 'offers', 'fees', 'price-history', 'units-sold-history']) {
        await service.send(who, 'GET', `/retailer/product/${path}?retailer_product_code=${code}`);
      }
      await track(service, who, { retailer_product_code: code, tier: 0 });
    }
  }
  for (let hour = 0; hour < 26; hour++) {
    clock.advanceMs(HOUR_MS);
    await oversight.work();
  }
}

it('touches one partition with each statement', async () => {
  const clock = manualClock(Date.parse('2026-11-15T00:00:00Z'));
  const service = await startService({ clock, allowPrivateTargets: true });
  const { db } = service.app;
  const partOfLane = await createPartitioned(service);
  db.groups.set(partOfLane);
  const examples = new Map<string, readonly unknown[]>();
  onStatement(db, ({ what, values }) => {
    const text = typeof what === 'string' ? what : what.text;
    if (tableUses(text).length === 0 || isFanOut(text) || /^(lock|create|alter)/.test(text)) return;
    // The example with the most lanes says most.
    const seen = examples.get(text);
    if (seen === undefined || lanesOf(text, values).length > lanesOf(text, seen).length) {
      examples.set(text, values);
    }
  });
  await useService(service, clock);
  onStatement(db, () => {});
  const client = await db.connect();
  await client.query('set search_path = shards, public');
  const wrong: string[] = [];
  let explained = 0;
  for (const [text, values] of examples) {
    const lanes = lanesOf(text, values);
    if (lanes.length === 0 || /^\s*insert/.test(text)) continue;
    const plan = await client.query({
      text: `explain (format json, costs off) ${text}`,
      values: [...values],
    });
    const touched = new Set(JSON.stringify(plan.rows).match(/(?<=_shard)\d/g) ?? []);
    const expected = new Set(lanes.map((lane) => String(partOfLane[lane])));
    if (touched.size > 1 || [...touched].some((part) => !expected.has(part))) {
      wrong.push(`${[...touched].join()} instead of ${[...expected].join()}: ${text}`);
    }
    explained++;
  }
  client.release(true);
  expect(wrong).toEqual([]);
  expect(explained).toBeGreaterThan(40);
});
