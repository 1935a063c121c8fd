// One suite for all implementations of `Source`.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readSnapshot } from '../../src/catalog/read-snapshot.ts';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { writeSnapshot } from '../../src/catalog/write-snapshot.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { createMetrics } from '../../src/foundation/metrics.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { createFeedSource } from '../../src/sources/feed/feed-source.ts';
import { createPageSource } from '../../src/sources/pages/page-source.ts';
import { startFeedServer } from '../../src/sources/simulated/feed-server.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import type { FetchOutcome, Source } from '../../src/sources/source.ts';
import { startShop, visibleOnPage } from '../support/shop.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');
const UNKNOWN = '99999999999999999999';

/** A source under test and the products it has. */
type Subject = {
  source: Source;
  /** Distinct codes, more than fit into one request. */
  codes: readonly string[];
  /** A GTIN-14 and the code of its only listing; null if the source cannot search. */
  listed: { gtin: string; code: string } | null;
  hasHistory: boolean;
  /** The part of a full snapshot that the source can observe. */
  visible(whole: Snapshot): Snapshot;
  /** Stops the servers behind it. */
  close(): Promise<void>;
};

const clock = manualClock(NOW);
const simulated = createSimulatedSource({ clock });
const codes = Array.from({ length: 250 }, (_, index) => simulated.productAt(index).code);
const { gtin, code } = simulated.productAt(7);
const listed = { gtin, code };
const whole = (snapshot: Snapshot) => snapshot;
const deps = { clock, log: createLog('silent') };

const IMPLEMENTATIONS: Readonly<Record<string, () => Promise<Subject>>> = {
  simulated: async () => ({
    source: createSimulatedSource({ clock }),
    codes,
    listed,
    hasHistory: true,
    visible: whole,
    close: async () => {},
  }),
  feed: async () => {
    const on = { host: '127.0.0.1', port: 0, token: 'of the operator' };
    const server = await startFeedServer({ source: simulated, clock, ...on });
    const metrics = createMetrics();
    const limits = { concurrency: 4 }; // few, so that a leaked one is noticed
    const source = createFeedSource({ ...deps, ...on, metrics, limits, url: server.address });
    return { source, codes, listed, hasHistory: true, visible: whole, close: server.close };
  },
  // A page has no search and no history, and shows only the buybox offer. The suite checks just as
  // strictly what the contract requires in that case.
  pages: async () => {
    const shop = await startShop((code) => simulated.snapshotAt(code, NOW));
    const url = `${shop.url}/ip/{code}`;
    const source = createPageSource({ ...deps, metrics: createMetrics(), url, delayMs: 0 });
    return {
      source,
      codes,
      listed: null,
      hasHistory: false,
      visible: visibleOnPage,
      close: shop.stop,
    };
  },
};

describe.each(Object.entries(IMPLEMENTATIONS))('%s', (name, create) => {
  let subject: Subject;
  beforeAll(async () => {
    subject = await create();
  });
  afterAll(async () => {
    await subject.source.close();
    await subject.close();
  });

  const codeOf = (outcome: FetchOutcome | undefined) =>
    outcome?.kind === 'snapshot' ? outcome.snapshot.code : outcome?.kind;

  const historyOf = async (code: string, range: { fromMs: number; toMs: number }) => {
    const seen: Snapshot[] = [];
    for await (const one of subject.source.history(code, range) ?? []) seen.push(one);
    return seen;
  };

  test('has its name', () => {
    expect(subject.source.name).toBe(name);
  });

  test('a code gives a valid snapshot of that product, not from the future', async () => {
    const [outcome] = await subject.source.fetchBatch([subject.codes[0] as string]);
    const { snapshot } = outcome as { snapshot: Snapshot };
    expect(snapshot.code).toBe(subject.codes[0]);
    expect(snapshot.observedAtMs).toBeLessThanOrEqual(NOW);
    const wire = JSON.parse(JSON.stringify(writeSnapshot(snapshot)));
    expect(readSnapshot(wire, NOW)).toEqual({ snapshot });
  });

  test('a snapshot has exactly the members that the source can observe', async () => {
    const outcomes = await subject.source.fetchBatch(subject.codes);
    const complete = subject.codes.map((one) => simulated.snapshotAt(one, NOW) as Snapshot);
    // The products include both with and without a buybox.
    expect(new Set(complete.map(({ buybox }) => buybox === null))).toEqual(new Set([true, false]));
    const expected = complete.map((one) => ({ kind: 'snapshot', snapshot: subject.visible(one) }));
    expect(outcomes).toEqual(expected);
  });

  test('unobserved stock is unknown, and a list with gaps is not marked complete', async () => {
    const outcomes = await subject.source.fetchBatch(subject.codes.slice(0, 40));
    for (const outcome of outcomes) {
      const { snapshot } = outcome as { snapshot: Snapshot };
      const full = simulated.snapshotAt(snapshot.code, NOW) as Snapshot;
      const units = new Map(full.offers?.map((one) => [one.sellerName, one.unitsInStock]));
      for (const offer of snapshot.offers ?? []) {
        expect([null, units.get(offer.sellerName)]).toContain(offer.unitsInStock);
      }
      const isAll = snapshot.offers?.length === full.offers?.length;
      expect(snapshot.offersComplete && !isAll).toBe(false);
    }
  });

  test('no codes give no outcomes', async () => {
    expect(await subject.source.fetchBatch([])).toEqual([]);
  });

  test('many codes give one outcome each, in order', async () => {
    const outcomes = await subject.source.fetchBatch(subject.codes);
    expect(outcomes.map(codeOf)).toEqual(subject.codes);
  });

  test('an unknown code is not found; a repeated code has repeated outcomes', async () => {
    const [a, b] = subject.codes as [string, string];
    const outcomes = await subject.source.fetchBatch([a, UNKNOWN, b, a]);
    expect(outcomes.map(codeOf)).toEqual([a, 'not_found', b, a]);
    expect(await subject.source.fetchBatch([UNKNOWN])).toEqual([{ kind: 'not_found' }]);
  });

  test('concurrent calls each get their own outcome', async () => {
    const some = subject.codes.slice(0, 40);
    const outcomes = await Promise.all(some.map((one) => subject.source.fetchBatch([one])));
    expect(outcomes.map(([outcome]) => codeOf(outcome))).toEqual(some);
  });

  test('a GTIN gives the codes of its listings, or unsupported', async () => {
    const { source, listed: listing } = subject;
    const nothing = await source.findByGtin('09999999999994');
    if (listing === null) {
      expect(nothing).toEqual({ kind: 'unsupported' });
      return;
    }
    expect(nothing).toEqual({ kind: 'codes', codes: [] });
    expect(await source.findByGtin(listing.gtin)).toEqual({ kind: 'codes', codes: [listing.code] });
  });

  test('a history is oldest first, from inclusive, to exclusive', async () => {
    const [code] = subject.codes as [string];
    const range = { fromMs: NOW - 40 * DAY_MS, toMs: NOW };
    if (!subject.hasHistory) {
      expect(subject.source.history(code, range)).toBeNull();
      return;
    }
    const seen = await historyOf(code, range);
    const times = seen.map(({ observedAtMs }) => observedAtMs);
    expect(seen.length).toBeGreaterThanOrEqual(40);
    expect(new Set(seen.map((one) => one.code))).toEqual(new Set([code]));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBe(range.fromMs);
    expect(times.at(-1)).toBeLessThan(range.toMs);
  });

  test('an unknown product and an empty range have no history', async () => {
    const range = { fromMs: NOW - 10 * DAY_MS, toMs: NOW };
    expect(await historyOf(UNKNOWN, range)).toEqual([]);
    expect(await historyOf(subject.codes[0] as string, { fromMs: NOW, toMs: NOW })).toEqual([]);
  });

  test('a history that the reader leaves early blocks nothing', async () => {
    const range = { fromMs: Date.UTC(2020, 0, 1), toMs: NOW };
    for (let index = 0; index < 10; index++) {
      const history = subject.source.history(subject.codes[index] as string, range) ?? [];
      for await (const one of history) {
        expect(one.observedAtMs).toBe(range.fromMs);
        break;
      }
    }
    const [outcome] = await subject.source.fetchBatch([subject.codes[0] as string]);
    expect(codeOf(outcome)).toBe(subject.codes[0]);
  });

  test('can be closed twice', async () => {
    const another = await create();
    await another.source.fetchBatch(another.codes.slice(0, 1));
    await another.source.close();
    await another.source.close();
    await another.close();
  });
});
