// The demo account is in use from its first minute, and its books add up.
import { expect, test } from 'vitest';
import type { Snapshot } from '../../src/catalog/snapshot.ts';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import { DEMO_DAYS, DEMO_TRACKED, openDemoAccount } from '../../src/demo-account.ts';
import { listNewestEvents } from '../../src/events/events.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { createSimulatedSource } from '../../src/sources/simulated/simulated-source.ts';
import { countTracked } from '../../src/tracking/tracked-products.ts';
import { listSubscriptions } from '../../src/webhooks/subscriptions.ts';
import { startService } from '../support/service.ts';
import { attemptDue } from '../support/webhooks.ts';

const NOW = Date.parse('2026-11-15T12:00:00Z');
const clock = manualClock(NOW);
const service = await startService({ clock, isStocked: false, isDurable: false });
const { app } = service;

test('it has tracked products, events, deliveries to the built-in receiver and a ledger', async () => {
  const source = createSimulatedSource({ clock });
  const codes = Array.from({ length: DEMO_TRACKED }, (_, index) => source.productAt(index).code);
  const untilMs = NOW - DEMO_DAYS * DAY_MS;
  const snapshots: Snapshot[] = [];
  for (const code of codes) {
    const range = { fromMs: untilMs - 3 * DAY_MS, toMs: untilMs + 1 };
    for await (const snapshot of source.history(code, range)) snapshots.push(snapshot);
  }
  await recordSnapshots(app, snapshots);

  const { accountId, createdAtMs, email } = await openDemoAccount(app, codes);
  expect(createdAtMs).toBe(untilMs);
  expect(await countTracked(app.db, accountId)).toBe(DEMO_TRACKED);
  const events = await listNewestEvents(app.db, { accountId, oldestAtMs: 0, limit: 100 });
  expect(events.length).toBeGreaterThan(10);
  const [webhook] = await listSubscriptions(app.db, { accountId, now: NOW });
  expect(webhook?.url).toBe('built-in://receiver');
  expect(
    (await attemptDue(service, { accountId, email, apiKey: '' }, null)).length,
  ).toBeGreaterThan(0);
  expect((await app.charging.freshBalance(accountId))?.used).toBeGreaterThan(0);
  expect(await findLedgerFaults(app.db)).toEqual([]);

  // A start after a crash changes nothing.
  await openDemoAccount(app, codes);
  expect(await countTracked(app.db, accountId)).toBe(DEMO_TRACKED);
});
