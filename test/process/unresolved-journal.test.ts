// A charge of unknown outcome is written to the journal before its request ends with 503, and is
// refunded even if the process is stopped or killed.
import { readdir } from 'node:fs/promises';
import { afterAll, afterEach, expect, inject, test, vi } from 'vitest';
import { createApiKey } from '../../src/accounts/api-keys.ts';
import { recordSnapshots } from '../../src/collection/record-snapshot.ts';
import type { Charging } from '../../src/credits/charge.ts';
import {
  journalFolder,
  openUnresolvedJournal,
  readJournal,
} from '../../src/credits/unresolved-journal.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import {
  accountWith,
  chargeOf,
  entriesOf,
  expectRefunded,
  openCharging,
  usedBy,
} from '../support/charging.ts';
import { programOn } from '../support/child-service.ts';
import { runInProcess } from '../support/command.ts';
import { type Statement, startCuttingProxy } from '../support/cutting-proxy.ts';
import { newDataDir } from '../support/data-dir.ts';
import { cloneDatabase } from '../support/database.ts';
import { poison } from '../support/poison.ts';
import { shelfSnapshots } from '../support/shelf.ts';

const { db, connection, url } = await cloneDatabase();
const proxy = await startCuttingProxy(inject('postgres'));
afterAll(() => proxy.close());
afterEach(() => {
  proxy.fateOf = () => 'pass';
  proxy.comeBack();
});
const throughProxy = { ...connection, ...proxy.connection };
const SOON = { timeout: 20_000, interval: 10 };
const unknownMaxMs = 200;

const commits = ({ name, text }: Statement) => name.startsWith('charge-wh') || text === 'commit';

/** Lets the next charge commit, cuts its connection and refuses new ones. */
function goAwayDuringCharge(): void {
  proxy.fateOf = (statement) => {
    if (!commits(statement)) return 'pass';
    proxy.fateOf = () => 'pass';
    proxy.goAway();
    return 'during';
  };
}

const newJournal = async () => {
  const folder = journalFolder(await newDataDir());
  return { folder, journal: openUnresolvedJournal(folder, 'this database') };
};
const settled = (charging: Charging) =>
  vi.waitFor(() => expect(charging.unresolved()).toBe(0), SOON);
const away = expect.objectContaining({ kind: 'temporarily_unavailable' });

test('a charge is in the journal when the 503 is sent, and removed when it is refunded', async () => {
  const { folder, journal } = await newJournal();
  const charging = await openCharging(throughProxy, { unknownMaxMs, journal });
  const entry = chargeOf(await accountWith(db, 100), 5);
  goAwayDuringCharge();
  await expect(charging.charge(entry)).rejects.toEqual(away);
  expect((await readJournal(folder)).batches).toMatchObject([{ entries: [entry] }]);
  proxy.comeBack();
  await settled(charging);
  await expectRefunded(db, entry);
  expect(await readdir(folder)).toEqual([]);
});

test('a stopped service leaves it to the next start; two services that start refund it once', async () => {
  const { folder, journal } = await newJournal();
  const stopped = await openCharging(throughProxy, { unknownMaxMs, journal });
  const accountId = await accountWith(db, 100);
  const [entry, later] = [chargeOf(accountId, 5), chargeOf(accountId, 2)];
  goAwayDuringCharge();
  await expect(stopped.charge(entry)).rejects.toEqual(away);
  await stopped.close();
  proxy.comeBack();
  await vi.waitFor(async () => expect(await usedBy(db, accountId)).toBe(5), SOON);
  const next = await Promise.all([1, 2].map(() => openCharging(connection, { journal })));
  await Promise.all(next.map((charging) => charging.resumeUnresolved()));
  await next[0]?.charge(later);
  for (const charging of next) await settled(charging);
  await expectRefunded(db, entry);
  expect(await usedBy(db, accountId)).toBe(2);
  expect(await readdir(folder)).toEqual([]);
});

test('a refund that cannot be booked stays in the journal and does not delay others', async () => {
  const { folder, journal } = await newJournal();
  const entries = await Promise.all(
    Array.from({ length: 5 }, async () => chargeOf(await accountWith(db, 100), 5)),
  );
  const bad = entries[2] as (typeof entries)[number];
  const cure = await poison(db, { table: 'ledger_entries', key: bad.reference });
  await journal.write(entries);
  const charging = await openCharging(connection, { journal });
  await charging.resumeUnresolved();
  const others = entries.filter((entry) => entry !== bad);
  await vi.waitFor(async () => {
    for (const entry of others) await expectRefunded(db, entry);
  }, SOON);
  expect(await entriesOf(db, bad.accountId)).toEqual([]);
  expect(await readdir(folder)).toHaveLength(1);
  await cure();
  await settled(charging);
  await expectRefunded(db, bad);
  expect(await readdir(folder)).toEqual([]);
});

test('a charge that cannot be written to the disk is kept in memory and refunded', async () => {
  const { journal } = await newJournal();
  const refusing = { ...journal, write: () => Promise.reject(new Error('ENOSPC')) };
  const charging = await openCharging(throughProxy, { unknownMaxMs, journal: refusing });
  const entry = chargeOf(await accountWith(db, 100), 5);
  goAwayDuringCharge();
  await expect(charging.charge(entry)).rejects.toEqual(away);
  proxy.comeBack();
  await settled(charging);
  await expectRefunded(db, entry);
});

test('after a kill that follows the 503, doctor lists the charge and the next start refunds it', {
  timeout: 180_000,
}, async () => {
  const dataDir = await newDataDir();
  const { user, password, database } = connection;
  const secret = Buffer.alloc(32, 7).toString('base64');
  const program = programOn(dataDir, {
    DATABASE_URL: `postgres://${user}:${encodeURIComponent(String(password))}@127.0.0.1:${proxy.connection.port}/${database}`,
    ENCRYPTION_KEY: secret,
    AUTH_SECRET: secret,
    ROLE: 'api',
  });
  const snapshots = shelfSnapshots(realClock.nowMs());
  await recordSnapshots({ db, log: createLog('silent') }, snapshots);
  const accountId = await accountWith(db, 100);
  const { apiKey } = await createApiKey(db, { accountId, name: 'test', now: realClock.nowMs() });
  const first = await program.start();
  const send = (address: string) =>
    fetch(`${address}/retailer/product/details?retailer_product_code=${snapshots[0]?.code}`, {
      headers: { 'x-api-key': apiKey },
    });
  expect((await send(first.address)).status).toBe(200);
  const used = await usedBy(db, accountId);
  goAwayDuringCharge();
  const refused = await send(first.address);
  expect(refused.status).toBe(503);
  await first.kill();
  proxy.comeBack();
  expect(await usedBy(db, accountId)).toBe(2 * (used as number));

  const [batch] = (await readJournal(journalFolder(dataDir))).batches;
  const reference = batch?.entries[0]?.reference as string;
  expect(reference).toBe(refused.headers.get('x-request-id'));
  const checkOf = async () => {
    const { out } = await runInProcess(['doctor', '--json'], {
      DATABASE_URL: url,
      DATA_DIR: dataDir,
    });
    return JSON.parse(out).checks.find((check: { name: string }) => check.name === 'unresolved');
  };
  expect(await checkOf()).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`${reference} of account ${accountId}, 1 credit,`),
    advice: expect.stringContaining('Start the service'),
  });

  const second = await program.start();
  await vi.waitFor(async () => expect(await usedBy(db, accountId)).toBe(used), SOON);
  await vi.waitFor(async () => expect(await readdir(journalFolder(dataDir))).toEqual([]), SOON);
  expect(await checkOf()).toMatchObject({ ok: true });
  await second.stop();
});
