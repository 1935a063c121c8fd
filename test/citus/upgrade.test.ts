// A database that an earlier version distributed, with rows, is migrated to this one on a real
// Citus cluster (TEST_CITUS_URL): every table is distributed, every row is still there.
import { describe, expect, it } from 'vitest';
import { chargeWhatFits, LEDGER_TABLE, listEntries } from '../../src/credits/ledger.ts';
import { openDatabase } from '../../src/database/database.ts';
import { distribute, surveyDistribution } from '../../src/database/distribute.ts';
import { lane } from '../../src/database/families.ts';
import { readLaneGroups } from '../../src/database/lane-groups.ts';
import { listMigrations, migrate, withMigrationTurn } from '../../src/database/migrate.ts';
import { ensureMonthPartitions } from '../../src/database/partitions.ts';
import { isoTime, realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { DAY_MS, SECOND_MS } from '../../src/foundation/time.ts';
import { ATTEMPTS_TABLE, listAttempts } from '../../src/webhooks/attempts.ts';
import { atEnd } from '../support/at-end.ts';
import { childEnvironment, programOn } from '../support/child-service.ts';
import { CITUS_URL, createCitusDatabase, dropCitusDatabase } from '../support/citus.ts';
import { newDataDir } from '../support/data-dir.ts';

/** The last version without partitions of days, facts, tags, rules and markers. */
const EARLIER = 95;
const ACCOUNTS = 12;
const ENTRIES = 250;

const accountIds = Array.from({ length: ACCOUNTS }, newId);
const webhookId = newId();
const nowMs = realNowMs();
const account = (accountId: string) => [lane(accountId), accountId];

describe.skipIf(CITUS_URL === undefined)('a database of an earlier version', async () => {
  const name = `test_${newId().replaceAll('-', '')}`;
  const url = new URL(CITUS_URL ?? 'postgres://localhost/');
  url.pathname = `/${name}`;

  it('gets new migrations with its rows and is distributed completely', async () => {
    const connection = await createCitusDatabase(name);
    const command = { ...connection, application_name: 'oversight-command' };
    const db = openDatabase(command, createLog('silent'));
    atEnd(async () => {
      await db.close();
      await dropCitusDatabase(name);
    });
    await migrate(db, nowMs, { upTo: EARLIER });
    await withMigrationTurn(db, (client) => distribute(client, { shards: null }));
    const months = { fromMs: nowMs - DAY_MS, toMs: nowMs + DAY_MS };
    for (const table of [LEDGER_TABLE, ATTEMPTS_TABLE]) {
      await ensureMonthPartitions(db, table, months);
    }
    for (const accountId of accountIds) await fill(db, accountId);

    const newer = (await listMigrations()).filter(({ version }) => version > EARLIER);
    expect(await migrate(db, nowMs)).toEqual(newer.map((migration) => migration.name));
    expect(await surveyDistribution(db)).toMatchObject({ notDistributed: [] });
    db.groups.set(await readLaneGroups(db));
    for (const accountId of accountIds) {
      const fees = await listEntries(db, { accountId, operation: 'fees', limit: 10 });
      expect(fees.map(({ credits }) => credits)).toEqual([-3]);
      const attempts = await listAttempts(db, {
        accountId,
        webhookId,
        kind: 'stock.out',
        limit: 9,
      });
      expect(attempts).toHaveLength(1);
      const id = newId();
      const rest = { credits: -1, operation: 'details', productCode: null, reference: id };
      const entry = { accountId, id, atMs: realNowMs(), kind: 'request' as const, ...rest };
      const remaining = await chargeWhatFits(db, [entry], { nowMs });
      expect(remaining.get(accountId)).toBe(1_000 - ENTRIES - 3 - 1);
    }
    const [days] = await db.query<{ days: number }>('select count(*) as days from tracked_days');
    expect(days).toEqual({ days: ACCOUNTS });

    const program = programOn(await newDataDir(), {
      ...childEnvironment(),
      DATABASE_URL: url.href,
    });
    const { json } = await program.command('doctor');
    expect(json.checks.filter((check: { ok: boolean }) => !check.ok)).toEqual([]);
  }, 300_000);
});

/** Rows as the earlier version wrote them: charges, a rare one first, an attempt, a charged day. */
async function fill(db: ReturnType<typeof openDatabase>, accountId: string): Promise<void> {
  const startAt = isoTime(nowMs - 600 * SECOND_MS);
  const email = `${accountId}@example.com`;
  await db.query(
    'insert into accounts (lane, account_id, email, created_at) values ($1, $2, $3, $4)',
    [...account(accountId), email, startAt],
  );
  await db.query('insert into account_emails (lane, email, account_id) values ($1, $2, $3)', [
    lane(email),
    email,
    accountId,
  ]);
  await db.query(
    `insert into balances (lane, account_id, plan, allocation, granted, used, anchor_at,
                           period_start_at, period_end_at, updated_at)
     values ($1, $2, 'Free', 1000, 0, $3, $4, $4, $5, $4)`,
    [...account(accountId), ENTRIES + 3, startAt, isoTime(nowMs + 20 * DAY_MS)],
  );
  const entries = Array.from({ length: ENTRIES + 2 }, (_, index) =>
    index === 0
      ? { kind: 'refresh', credits: 1_000, operation: null }
      : index === 1
        ? { kind: 'request', credits: -3, operation: 'fees' }
        : { kind: 'request', credits: -1, operation: 'details' },
  );
  for (const [index, { kind, credits, operation }] of entries.entries()) {
    await db.query(
      `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation, reference)
       values ($1, $2, $3, $4, $5, $6, $7, '')`,
      [
        ...account(accountId),
        isoTime(nowMs + (index - 600) * SECOND_MS),
        newId(),
        kind,
        credits,
        operation,
      ],
    );
  }
  const id = newId();
  await db.query(
    `insert into delivery_attempts (lane, account_id, webhook_id, at, attempt_id, delivery_id,
                                    event_id, attempt, payload_bytes, kind, endpoint, outcome)
     values ($1, $2, $3, $4, $5, $5, $5, 1, 9, 'stock.out', '', 'success')`,
    [...account(accountId), webhookId, startAt, id],
  );
  await db.query(
    `insert into tracked_days (lane, account_id, retailer_product_code, day, credits_charged,
                               settlement) values ($1, $2, '1001', 20000, 10, 1)`,
    account(accountId),
  );
}
