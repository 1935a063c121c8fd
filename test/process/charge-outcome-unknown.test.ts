// Connections that break around a commit: the service finds out whether a charge was booked and
// never guesses. No charge is booked twice or lost, and no customer with enough credits is refused.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, inject, onTestFinished, test, vi } from 'vitest';
import { setRequestsPerSecond } from '../../src/accounts/accounts.ts';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { buildServer } from '../../src/api/server.ts';
import { buildApp } from '../../src/app.ts';
import { findLedgerFaults } from '../../src/cli/check-ledger.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import type { Charging } from '../../src/credits/charge.ts';
import { chargeWhatFits } from '../../src/credits/ledger.ts';
import type { LedgerEntry } from '../../src/credits/settlement.ts';
import { openDatabase } from '../../src/database/database.ts';
import { startEmbeddedPostgres } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { bounds } from '../../src/foundation/bounds.ts';
import { realClock, realNowMs } from '../../src/foundation/clock.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { BUCKETS } from '../../src/limits/bucket.ts';
import {
  accountWith,
  type Charged,
  chargeOf,
  compareWithLedger,
  entriesOf,
  expectRefunded,
  expectSerial,
  openCharging,
  usedBy,
} from '../support/charging.ts';
import { type Fate, type Statement, startCuttingProxy } from '../support/cutting-proxy.ts';
import { newDataDir, serverPid } from '../support/data-dir.ts';
import { cloneDatabase, onServer } from '../support/database.ts';
import { type Random, seededRandom } from '../support/seeded-random.ts';
import { createShelfSource, shelfSnapshots } from '../support/shelf.ts';

const dataDir = await newDataDir();
const { db, connection } = await cloneDatabase();
const proxy = await startCuttingProxy(inject('postgres'));
afterAll(() => proxy.close());
afterEach(() => {
  proxy.fateOf = () => 'pass';
  proxy.comeBack();
});
const throughProxy = { ...connection, ...proxy.connection };

/** Whether the statement commits a charge: the single statement of the fast path, or a commit. */
const commits = ({ name, text }: Statement) => name.startsWith('charge-wh') || text === 'commit';

/** Cuts the next statement that commits; later ones pass. */
function cutOnce(fate: Fate, which: (statement: Statement) => boolean = commits): void {
  proxy.fateOf = (statement) => {
    if (!which(statement)) return 'pass';
    proxy.fateOf = () => 'pass';
    return fate;
  };
}

type Account = { accountId: string; credits: number; entries: LedgerEntry[] };

/** Opens accounts with more than, exactly, and less than the credits that their charges cost. */
async function openAccounts(
  random: Random,
  chargesEach: number,
  spare = [1000, 0, -20],
): Promise<Account[]> {
  return Promise.all(
    Array.from({ length: 9 }, async (_, index) => {
      const costs = Array.from({ length: chargesEach }, () => 1 + random.below(9));
      const sum = costs.reduce((total, cost) => total + cost, 0);
      const credits = sum + (spare[index % spare.length] as number);
      const accountId = await accountWith(db, credits);
      return { accountId, credits, entries: costs.map((cost) => chargeOf(accountId, cost)) };
    }),
  );
}

/** Makes all charges, ten at a time, so that there are many small batches. */
async function chargeAll(
  charging: Charging,
  entries: readonly LedgerEntry[],
  onCharged: () => void = () => {},
): Promise<Charged[]> {
  const waiting = [...entries];
  const charged: Charged[] = [];
  const customer = async () => {
    for (let entry = waiting.pop(); entry !== undefined; entry = waiting.pop()) {
      charged.push({ entry, outcome: await charging.charge(entry) });
      onCharged();
    }
  };
  await Promise.all(Array.from({ length: 10 }, customer));
  return charged;
}

async function compareAll(accounts: readonly Account[], charged: readonly Charged[]) {
  for (const account of accounts) {
    const ofAccount = charged.filter(({ entry }) => entry.accountId === account.accountId);
    expect(ofAccount.length).toBe(account.entries.length);
    await compareWithLedger(db, account, ofAccount);
  }
}

describe('a connection that is cut', () => {
  test.each<[string, Fate[]]>([
    ['before', ['before']],
    ['during', ['during']],
    ['after', ['after']],
    ['before, during or after', ['before', 'during', 'after']],
  ])('%s the commit: every charge is decided once', async (_when, fates) => {
    const random = seededRandom();
    const accounts = await openAccounts(random, 80);
    const charging = await openCharging(throughProxy);
    const cutsBefore = proxy.cuts;
    proxy.fateOf = (statement) =>
      commits(statement) && random.chance(0.3)
        ? (fates[random.below(fates.length)] as Fate)
        : 'pass';
    const entries = random.shuffled(accounts.flatMap((account) => account.entries));
    await compareAll(accounts, await chargeAll(charging, entries));
    expect(proxy.cuts - cutsBefore).toBeGreaterThan(5);
    expect(charging.unresolved()).toBe(0);
  });

  // A single READ COMMITTED statement would see the first attempt's balance but not its entry.
  test('while the charge waits for a lock: the last credits count as paid, not as missing', async () => {
    const accountId = await accountWith(db, 5);
    const charging = await openCharging(throughProxy);
    const blocker = await db.connect();
    onTestFinished(() => blocker.release());
    await blocker.query('begin');
    await blocker.query('select from balances where account_id = $1 for update', [accountId]);
    const entry = chargeOf(accountId, 5);
    let lockQueries = 0;
    proxy.fateOf = ({ name, text }) => {
      if (name === 'lock-balances') lockQueries += 1;
      // Cuts the statement that waits for the lock, which then outlives its client.
      return text.includes('lock_timeout') && name === 'charge-when-free' ? 'during' : 'pass';
    };
    const outcome = charging.charge(entry);
    // The attempt without a client, and those that check its outcome.
    await vi.waitFor(() => expect(lockQueries).toBeGreaterThan(1), {
      timeout: 10_000,
      interval: 5,
    });
    await blocker.query('commit');
    expect(await outcome).toEqual({ booked: true, remaining: 0 });
    await compareWithLedger(db, { accountId, credits: 5 }, [{ entry, outcome: await outcome }]);
  });

  test('a statement that reaches the server after its retry books nothing', async () => {
    const accountId = await accountWith(db, 100);
    const charging = await openCharging(throughProxy);
    const entry = chargeOf(accountId, 5);
    cutOnce('late');
    const outcome = await charging.charge(entry);
    expect(await proxy.deliverLate()).toEqual([expect.stringContaining('duplicate key')]);
    expect(outcome).toEqual({ booked: true, remaining: 95 });
    await compareWithLedger(db, { accountId, credits: 100 }, [{ entry, outcome }]);
  });
});

describe('a database that ends its sessions', () => {
  test('decides every charge once while its backends are terminated repeatedly', async () => {
    const random = seededRandom();
    const accounts = await openAccounts(random, 100);
    const charging = await openCharging(connection);
    const entries = random.shuffled(accounts.flatMap((account) => account.entries));
    let [terminated, untilNext, isCharging] = [0, 20, true];
    const charged = await onServer(async (client) => {
      let terminating: Promise<void> | null = null;
      // Waits until a statement runs, which depends on the machine, and then ends every session.
      // Ending them before that would keep the charges from ever connecting.
      const terminate = async () => {
        for (let active = 0; active === 0 && isCharging; terminated += active) {
          const ended = await client.query(
            `with sessions as materialized (
               select pid, state from pg_stat_activity where datname = $1
             )
             select pg_terminate_backend(pid), state from sessions
             where exists (select from sessions where state = 'active')`,
            [connection.database],
          );
          active = ended.rows.filter((row) => row.state === 'active').length;
        }
        terminating = null;
      };
      try {
        return await chargeAll(charging, entries, () => {
          untilNext -= 1;
          if (untilNext > 0 || terminating !== null) return;
          untilNext = 10 + random.below(40);
          terminating = terminate();
        });
      } finally {
        isCharging = false;
        await terminating;
      }
    });
    await compareAll(accounts, charged);
    expect(terminated).toBeGreaterThan(0);
    expect(charging.unresolved()).toBe(0);
  });

  test('gives data for one charge, or 503 without a charge, when restarted under load', {
    timeout: 60_000,
  }, async () => {
    let inDoubt = 0;
    const log = createLog('warn', {
      write: (line) => {
        if (line.includes('charge outcome unknown')) inDoubt += 1;
      },
    });
    const postgres = await startEmbeddedPostgres({ dataDir, purpose: 'service', log });
    onTestFinished(() => postgres.stop());
    const serviceDb = openDatabase(postgres.connection, log);
    onTestFinished(() => serviceDb.close());
    await migrate(serviceDb, realClock.nowMs());
    const snapshots = shelfSnapshots(realClock.nowMs());
    await recordSnapshots({ db: serviceDb, log }, snapshots);
    const source = createShelfSource(snapshots);
    const settings = { REDIS_URL: null };
    const app = buildApp({ db: serviceDb, clock: realClock, log, source, settings });
    onTestFinished(() => app.close());
    const server = await buildServer(
      { ...app, notReadyReason: () => null },
      { trustProxy: null, endpoints: true },
    );
    onTestFinished(() => server.close());
    const accountId = await accountWith(serviceDb, 1_000_000);
    await setRequestsPerSecond(serviceDb, { accountId, buckets: BUCKETS, perSecond: 100_000 });
    const now = realClock.nowMs();
    const { apiKey } = await createApiKey(serviceDb, { accountId, name: 'test', now });

    const responses: { id: string; status: number }[] = [];
    let [stopped, paid] = [false, 0];
    const customer = async () => {
      while (!stopped) {
        const reply = await server.inject({
          url: `/retailer/product/details?retailer_product_code=${snapshots[0]?.code}`,
          headers: { 'x-api-key': apiKey },
        });
        responses.push({ id: String(reply.headers['x-request-id']), status: reply.statusCode });
        if (reply.statusCode === 200) paid += 1;
      }
    };
    const customers = Promise.all(Array.from({ length: 30 }, customer));
    const morePaid = async (count: number) => {
      const target = paid + count;
      await vi.waitFor(() => expect(paid).toBeGreaterThan(target), { timeout: 20_000 });
    };
    // At least three restarts, and until one has interrupted a charge.
    for (let restart = 0; restart < 3 || (inDoubt === 0 && restart < 15); restart++) {
      const signal = restart % 2 === 0 ? 'SIGINT' : 'SIGQUIT';
      await morePaid(200);
      const pid = serverPid(dataDir) as number;
      process.kill(pid, signal);
      await vi.waitFor(() => expect([null, pid]).not.toContain(serverPid(dataDir)), {
        timeout: 20_000,
      });
    }
    await morePaid(200);
    stopped = true;
    await customers;
    await vi.waitFor(() => expect(app.charging.unresolved()).toBe(0), { timeout: 20_000 });

    const sums = new Map<string, number>();
    for (const entry of await entriesOf(serviceDb, accountId)) {
      const reference = entry.reference.replace('reversal:', '');
      sums.set(reference, (sums.get(reference) ?? 0) + entry.credits);
    }
    const wrong = responses.filter(({ id, status }) =>
      status === 200 ? sums.get(id) !== -1 : status !== 503 || (sums.get(id) ?? 0) !== 0,
    );
    expect(wrong).toEqual([]);
    expect(inDoubt).toBeGreaterThan(0);
    expect(await usedBy(serviceDb, accountId)).toBe(paid);
    expect(await findLedgerFaults(serviceDb)).toEqual([]);
  });
});

describe('a database that stays away', () => {
  const unknownMaxMs = 200;
  const settled = (charging: Charging) =>
    vi.waitFor(() => expect(charging.unresolved()).toBe(0), { timeout: 20_000, interval: 10 });
  const away = expect.objectContaining({ kind: 'temporarily_unavailable' });

  /** Cuts the n-th matching statement and all connections. */
  function goAwayAt(fate: Fate, which: (statement: Statement) => boolean = commits, nth = 1): void {
    let left = nth;
    proxy.fateOf = (statement) => {
      if (!which(statement)) return 'pass';
      left -= 1;
      if (left > 0) return 'pass';
      proxy.fateOf = () => 'pass';
      proxy.goAway();
      return fate;
    };
  }

  test('a booked charge gets 503 and is refunded', async () => {
    const accountId = await accountWith(db, 100);
    const charging = await openCharging(throughProxy, { unknownMaxMs });
    const entry = chargeOf(accountId, 5);
    goAwayAt('during');
    await expect(charging.charge(entry)).rejects.toEqual(away);
    expect(charging.unresolved()).toBe(1);
    await vi.waitFor(async () => expect(await usedBy(db, accountId)).toBe(5));
    proxy.comeBack();
    await settled(charging);
    await expectRefunded(db, entry);
    expect(await usedBy(db, accountId)).toBe(0);
  });

  test('a charge that was not booked gets 503 and cannot be booked later', async () => {
    const accountId = await accountWith(db, 100);
    const charging = await openCharging(throughProxy, { unknownMaxMs });
    const earlier = chargeOf(accountId, 7);
    await charging.charge(earlier);
    goAwayAt('before');
    const entry = chargeOf(accountId, 5);
    await expect(charging.charge(entry)).rejects.toEqual(away);
    expect(charging.unresolved()).toBe(1);
    proxy.comeBack();
    await settled(charging);
    await expectRefunded(db, entry);
    // The abandoned statement reaches the server only now.
    const late = chargeWhatFits(db, [entry], { nowMs: realNowMs() });
    await expect(late).rejects.toThrow('duplicate key');
    expect(await usedBy(db, accountId)).toBe(7);
  });

  test('a charge booked earlier in the same batch succeeds', async () => {
    const [rich, poor] = [await accountWith(db, 100), await accountWith(db, 1)];
    const charging = await openCharging(throughProxy, { unknownMaxMs });
    const entry = chargeOf(rich, 5);
    goAwayAt('before', ({ text }) => text === 'commit');
    const outcomes = await Promise.allSettled([
      charging.charge(entry),
      charging.charge(chargeOf(poor, 2)), // lacks credits, so it is tried after the others
    ]);
    proxy.comeBack();
    await settled(charging);
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: { booked: true, remaining: 95 } },
      { status: 'rejected', reason: away },
    ]);
    expect(await entriesOf(db, rich)).toEqual([entry]);
    expect(await entriesOf(db, poor)).toEqual([]);
  });

  test('charges that are tried one by one are resolved as well', async () => {
    const accountId = await accountWith(db, 100);
    const charging = await openCharging(throughProxy, { unknownMaxMs });
    const [repeated, made, untried] = [1, 2, 3].map((cost) => chargeOf(accountId, cost)) as [
      LedgerEntry,
      LedgerEntry,
      LedgerEntry,
    ];
    await charging.charge(repeated);
    goAwayAt('during', ({ text }) => text === 'commit', 2);
    // The repeated charge makes the statement fail for all of them.
    const outcomes = await Promise.allSettled([repeated, made, untried].map(charging.charge));
    expect(outcomes).toEqual([
      { status: 'fulfilled', value: { booked: true, remaining: 99 } },
      { status: 'rejected', reason: away },
      { status: 'rejected', reason: away },
    ]);
    await vi.waitFor(async () => expect(await usedBy(db, accountId)).toBe(3));
    proxy.comeBack();
    await settled(charging);
    await expectRefunded(db, made);
    await expectRefunded(db, untried);
    expect(await usedBy(db, accountId)).toBe(1);
    expect(await entriesOf(db, accountId)).toHaveLength(5);
  });

  test('a charge is booked after an outage longer than the retry time of reads', async () => {
    const accountId = await accountWith(db, 100);
    const charging = await openCharging(throughProxy, { plansRead: false });
    const entry = chargeOf(accountId, 5);
    goAwayAt('before');
    setTimeout(() => proxy.comeBack(), bounds.readRetryMs + 300);
    expect(await charging.charge(entry)).toEqual({ booked: true, remaining: 95 });
    expect(await entriesOf(db, accountId)).toEqual([entry]);
  });
});

describe('many at once', () => {
  test.each([1, 2])('charges of %i processes are serializable', async (processes) => {
    const chargings = await Promise.all(
      Array.from({ length: processes }, () => openCharging(connection)),
    );
    const steps = fc.array(
      fc.record({
        account: fc.nat(2),
        cost: fc.integer({ min: 1, max: 9 }),
        process: fc.nat(processes - 1),
        pause: fc.boolean(),
      }),
      { minLength: 1, maxLength: 40 },
    );
    const credits = fc.tuple(...[0, 1, 2].map(() => fc.nat(40)));
    const property = fc.asyncProperty(credits, steps, async (creditsOf, charges) => {
      const accountIds = await Promise.all(creditsOf.map((amount) => accountWith(db, amount)));
      const underWay: Promise<Charged>[] = [];
      for (const { account, cost, process, pause } of charges) {
        const entry = chargeOf(accountIds[account] as string, cost);
        const charge = (chargings[process] as Charging).charge(entry);
        underWay.push(charge.then((outcome) => ({ entry, outcome })));
        if (pause) await new Promise(setImmediate); // sends the current batch
      }
      const charged = await Promise.all(underWay);
      for (const [index, accountId] of accountIds.entries()) {
        const ofAccount = charged.filter(({ entry }) => entry.accountId === accountId);
        expectSerial(creditsOf[index] as number, ofAccount);
        await compareWithLedger(db, { accountId, credits: creditsOf[index] as number }, ofAccount);
      }
    });
    await fc.assert(property, { numRuns: 40 });
  });

  test('two processes on the same accounts never deadlock', async () => {
    const random = seededRandom();
    const application_name = `charging ${newId()}`;
    // Most run out of credits, so that both paths, for charges that fit and that do not, compete.
    const accounts = await openAccounts(random, 300, [0, -1000, -1200]);
    const entries = random.shuffled(accounts.flatMap((account) => account.entries));
    const half = entries.length / 2;
    const both = [entries.slice(0, half), entries.slice(half)].map(async (part) =>
      chargeAll(await openCharging({ ...connection, application_name }), part),
    );
    await compareAll(accounts, (await Promise.all(both)).flat());

    const marker = `seen ${newId()}`;
    await db.query(`do $$ begin raise log '${marker}'; end $$`);
    const { logFolder } = inject('postgres');
    const lines = await vi.waitFor(() => {
      const files = readdirSync(logFolder).map((name) =>
        readFileSync(join(logFolder, name), 'utf8'),
      );
      expect(files.join()).toContain(marker);
      return files.join('\n').split('\n');
    });
    const ofCharging = lines.filter((line) => line.includes(application_name));
    expect(ofCharging.filter((line) => line.includes('deadlock detected'))).toEqual([]);
  });
});
