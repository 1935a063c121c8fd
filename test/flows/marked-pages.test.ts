// Pages by operation, requests and event kind, found by markers: exactly what filtering all rows
// gives, whoever wrote them and whatever was rolled back.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EntryKind } from '../../src/credits/entry-kind.ts';
import {
  chargeWhatFits,
  insertEntries,
  LEDGER_TABLE,
  listEntries,
} from '../../src/credits/ledger.ts';
import type { EntryFilter } from '../../src/credits/ledger-rows.ts';
import type { LedgerEntry } from '../../src/credits/settlement.ts';
import { createMarkerMemory, MARKER_SLOT_MS } from '../../src/database/markers.ts';
import { ensureMonthPartitions } from '../../src/database/partitions.ts';
import { realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import {
  ATTEMPTS_TABLE,
  type Attempt,
  completeAttempts,
  insertAttempts,
  type LoggedAttempt,
  listAttempts,
  markedAttempt,
} from '../../src/webhooks/attempts.ts';
import { accountWith, openCharging } from '../support/charging.ts';
import { cloneDatabase } from '../support/database.ts';

const { db, connection } = await cloneDatabase({ isDurable: false });
const months = { fromMs: realNowMs() - 86_400_000, toMs: realNowMs() + 86_400_000 };
for (const table of [LEDGER_TABLE, ATTEMPTS_TABLE]) await ensureMonthPartitions(db, table, months);

/** Rows of one statement: by which process, when, with which values, and how it ends. */
const batches = fc.array(
  fc.record({
    process: fc.nat(3).map((n) => (n < 3 ? 0 : 1)),
    way: fc.constantFrom('fast', 'fast', 'locked', 'rolled back'),
    rows: fc.array(
      fc.record({
        offsetMs: fc.nat(1.5 * MARKER_SLOT_MS),
        // Mostly the first value, seldom the last ones.
        value: fc.nat(99).map((n) => (n < 85 ? 0 : n < 97 ? 1 : n < 99 ? 2 : 3)),
        isOther: fc.nat(9).map((n) => n === 0),
      }),
      { minLength: 1, maxLength: 120, size: 'max' },
    ),
  }),
  { minLength: 12, maxLength: 24, size: 'max' },
);

class RolledBack extends Error {}

/** Every page of a list, joined. */
async function allPages<Row>(limit: number, read: (last?: Row) => Promise<Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for (;;) {
    const page = await read(rows.at(-1));
    rows.push(...page);
    if (page.length < limit) return rows;
  }
}

describe('the ledger', () => {
  const OPERATIONS = ['details', 'fees', 'stats', 'chart-png'];
  const entryOf = (
    accountId: string,
    row: { atMs: number; value: number; kind: EntryKind },
  ): LedgerEntry => {
    const id = newId();
    const credits = row.kind === 'grant' ? 1 : -1;
    const operation = OPERATIONS[row.value] as string;
    const rest = { credits, operation, productCode: null, reference: id };
    return { accountId, id, atMs: row.atMs, kind: row.kind, ...rest };
  };

  test('has the same pages by operation and kind as filtering all entries', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom(3, 50), async (written, limit) => {
        // Some entries are dated before the period of the account.
        const startMs = realNowMs() - MARKER_SLOT_MS;
        const accountId = await accountWith(db, 1_000_000);
        const processes = [createMarkerMemory(), createMarkerMemory()];
        for (const [index, { process, way, rows }] of written.entries()) {
          // Several statements write to one slot.
          const slot = Math.floor(index / 3);
          const kindOf = (isOther: boolean): EntryKind =>
            !isOther ? 'request' : way === 'fast' ? 'tracking' : 'grant';
          const entries = rows.map(({ offsetMs, value, isOther }) => {
            const atMs = startMs + slot * MARKER_SLOT_MS + offsetMs;
            return entryOf(accountId, { atMs, value, kind: kindOf(isOther) });
          });
          const nowMs = realNowMs();
          const markers = processes[process];
          if (way === 'fast') await chargeWhatFits(db, entries, { nowMs, markers });
          else {
            await db
              .transaction(async (tx) => {
                await insertEntries(tx, entries);
                if (way === 'rolled back') throw new RolledBack();
              })
              .catch((error) => expect(error).toBeInstanceOf(RolledBack));
          }
        }
        const all = await listEntries(db, { accountId, limit: 10_000 });
        const fromAtMs = startMs + 1.5 * MARKER_SLOT_MS;
        const filters: EntryFilter[] = [
          ...OPERATIONS.map((operation) => ({ operation })),
          { operation: 'none such' },
          { kind: 'request' },
          { kind: 'grant', operation: 'stats' },
          { kind: 'request', operation: 'fees', fromAtMs },
          { operation: 'stats', fromAtMs },
        ];
        for (const filter of filters) {
          const pages = await allPages<LedgerEntry>(limit, (before) =>
            listEntries(db, { accountId, limit, before, ...filter }),
          );
          const matching = all.filter(
            ({ kind, operation, atMs }) =>
              (filter.kind ?? kind) === kind &&
              (filter.operation ?? operation) === operation &&
              atMs >= (filter.fromAtMs ?? 0),
          );
          expect(pages, JSON.stringify(filter)).toEqual(matching);
        }
      }),
      { numRuns: 4 },
    );
  });

  test('has few markers for many charges of the same operations', async () => {
    const charging = await openCharging(connection);
    const accountId = await accountWith(db, 10_000);
    const atMs = Math.ceil(realNowMs() / MARKER_SLOT_MS) * MARKER_SLOT_MS;
    for (let batch = 0; batch < 5; batch++) {
      const entries = Array.from({ length: 60 }, (_, index) =>
        entryOf(accountId, { atMs: atMs + batch, value: index % 2, kind: 'request' }),
      );
      await Promise.all(entries.map((entry) => charging.charge(entry)));
    }
    const [counted] = await db.query<{ entries: number; markers: number }>(
      `select count(*) as entries, count(*) filter (where is_marker) as markers
         from ledger_entries where account_id = $1 and kind = 'request'`,
      [accountId],
    );
    expect(counted).toEqual({ entries: 300, markers: 2 });
  });
});

describe('the attempts of a webhook', () => {
  const KINDS = ['buybox.lost', 'stock.out', 'stock.low', 'webhook.test'];
  const attemptOf = (
    key: { accountId: string; webhookId: string },
    { kind, atMs }: { kind: string; atMs: number },
  ): Attempt => {
    const id = newId();
    const rest = { endpoint: '', attempt: 1, payloadBytes: 1 };
    return { ...key, attemptId: id, deliveryId: id, eventId: id, kind, atMs, ...rest };
  };

  test('are found by event although the first of them was rolled back', async () => {
    const key = { accountId: newId(), webhookId: newId() };
    const atMs = realNowMs();
    const markers = createMarkerMemory();
    const rare = attemptOf(key, { kind: 'stock.out', atMs });
    const rolledBack = db.transaction(async (tx) => {
      await insertAttempts(tx, [attemptOf(key, { kind: 'stock.out', atMs })], markers);
      throw new RolledBack();
    });
    await expect(rolledBack).rejects.toThrow(RolledBack);
    await db.transaction((tx) => insertAttempts(tx, [rare], markers));
    const later = Array.from({ length: 300 }, () =>
      attemptOf(key, { kind: 'buybox.lost', atMs: atMs + 2 * MARKER_SLOT_MS }),
    );
    await db.transaction((tx) => insertAttempts(tx, later, markers));
    const page = await listAttempts(db, { ...key, kind: 'stock.out', limit: 10 });
    expect(page.map(({ attemptId }) => attemptId)).toEqual([rare.attemptId]);
  });

  test('have the same pages by event and outcome as filtering all attempts', async () => {
    await fc.assert(
      fc.asyncProperty(batches, fc.constantFrom(3, 50), async (written, limit) => {
        const [accountId, webhookId] = [newId(), newId()];
        const processes = [createMarkerMemory(), createMarkerMemory()];
        const startMs = realNowMs();
        for (const [index, { process, way, rows }] of written.entries()) {
          // Several statements write to one slot.
          const slot = Math.floor(index / 3);
          const attempts = rows.map(({ offsetMs, value }) => {
            const atMs = startMs + slot * MARKER_SLOT_MS + offsetMs;
            return attemptOf({ accountId, webhookId }, { kind: KINDS[value] as string, atMs });
          });
          const markers = processes[process];
          const isCommitted = await db
            .transaction(async (tx) => {
              await insertAttempts(tx, attempts, markers);
              if (way === 'rolled back') throw new RolledBack();
              const done = attempts.filter((_, number) => number % 3 > 0);
              const nothing = { status: null, durationMs: null, responseBody: null };
              await completeAttempts(
                tx,
                done.map((one, number) => ({
                  ...one,
                  ...nothing,
                  reason: number % 2 === 0 ? 'refused' : null,
                })),
              );
              return true;
            })
            .catch(() => false);
          if (isCommitted) markers?.add(attempts.map(markedAttempt));
        }
        const all = await listAttempts(db, { accountId, webhookId, limit: 10_000 });
        const kinds = [...KINDS, 'rank.lost'];
        const filters = kinds.flatMap((kind) =>
          ([undefined, 'failed', 'success', 'pending'] as const).map((outcome) => ({
            kind,
            outcome,
          })),
        );
        for (const filter of filters) {
          const pages = await allPages<LoggedAttempt>(limit, (before) =>
            listAttempts(db, { accountId, webhookId, limit, before, ...filter }),
          );
          const matching = all.filter(
            ({ kind, outcome }) => filter.kind === kind && (filter.outcome ?? outcome) === outcome,
          );
          expect(pages, JSON.stringify(filter)).toEqual(matching);
        }
      }),
      { numRuns: 3 },
    );
  });
});
