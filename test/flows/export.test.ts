// The export of an account: complete, without other accounts' data or secrets, consistent at one
// moment, and in bounded memory.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { inflateRawSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createExportQueue, exportAccount } from '../../src/closing/export-account.ts';
import { createZipArchive } from '../../src/closing/zip-archive.ts';
import { lane } from '../../src/database/families.ts';
import { startService } from '../support/service.ts';
import { signedIn } from '../support/session.ts';
import { track } from '../support/tracking.ts';
import { attemptDue, newEvent, RECEIVED, record, register } from '../support/webhooks.ts';

const service = await startService();
const { app } = service;

/** Reads the files of an archive by its central directory. */
function unzip(archive: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = archive.lastIndexOf(Buffer.from([0x50, 0x4b, 5, 6]));
  const count = archive.readUInt16LE(end + 10);
  let at = archive.readUInt32LE(end + 16);
  for (let n = 0; n < count; n++) {
    const [packed, nameBytes] = [archive.readUInt32LE(at + 20), archive.readUInt16LE(at + 28)];
    const [extra, offset] = [archive.readUInt16LE(at + 30), archive.readUInt32LE(at + 42)];
    const name = archive.toString('utf8', at + 46, at + 46 + nameBytes);
    const start =
      offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28);
    files.set(name, inflateRawSync(archive.subarray(start, start + packed)).toString());
    at += 46 + nameBytes + extra;
  }
  return files;
}

async function archiveOf(accountId: string): Promise<Buffer> {
  const out = new PassThrough();
  const [archive] = await Promise.all([
    buffer(out),
    exportAccount(app, { accountId, out }).finally(() => out.end()),
  ]);
  return archive;
}

const linesOf = (text: string | undefined) =>
  (text ?? '')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));

async function fill() {
  const person = await signedIn(service, { plan: 'Pro' });
  const code = service.products[0]?.code;
  await track(service, person, { retailer_product_code: code, rules: { price: { percent: 3 } } });
  const webhook = await register(app, {
    accountId: person.accountId,
    url: 'https://example.com/h',
  });
  await record(service, [newEvent(person, app.clock.nowMs())]);
  await attemptDue(service, person, RECEIVED);
  await service.get(person, `/retailer/product/details?retailer_product_code=${code}`);
  return { person, webhook };
}

describe('an export', () => {
  test('contains the rows of every kind, counted in the manifest, and nothing of others', async () => {
    const { person } = await fill();
    const other = await fill();
    const files = unzip(await archiveOf(person.accountId));
    const manifest = JSON.parse(files.get('manifest.json') ?? '');
    expect(manifest).toMatchObject({
      format: 'oversight-account-export',
      account_id: person.accountId,
    });
    for (const [name, rows] of Object.entries(manifest.files)) {
      expect([name, linesOf(files.get(name)).length]).toEqual([name, rows]);
    }
    expect([...files.keys()].sort()).toEqual(
      [...Object.keys(manifest.files), 'manifest.json'].sort(),
    );
    const filled = Object.entries(manifest.files).filter(([, rows]) => (rows as number) > 0);
    expect(filled.map(([name]) => name.replace('.ndjson', '')).sort()).toEqual(
      [
        'account',
        'api_keys',
        'balance',
        'deliveries',
        'delivery_attempts',
        'events',
        'ledger',
        'people',
        'sessions',
        'tracked_products',
        'usage',
        'webhook_days',
        'webhooks',
      ].sort(),
    );
    expect(linesOf(files.get('account.ndjson'))).toMatchObject([{ email: person.email }]);
    const all = [...files.values()].join('');
    expect(all).not.toContain(other.person.accountId);
    expect(all).not.toContain(other.person.email);
  });

  test('contains no secret, hash or token', async () => {
    const { person, webhook } = await fill();
    const { db } = app;
    const secrets = await db.query<{ secret: string }>(
      `select encode(secret, 'hex') as secret from webhooks where account_id = $1
       union all select s.token from auth.sessions s join auth.users u on u.id = s.user_id where u.account_id = $1
       union all select c.password from auth.credentials c join auth.users u on u.id = c.user_id where u.account_id = $1
       union all select encode(key_hash, 'hex') from api_key_hashes where account_id = $1`,
      [person.accountId],
    );
    expect(secrets).toHaveLength(4);
    const all = [...unzip(await archiveOf(person.accountId)).values()].join('');
    for (const secret of [...secrets.map((row) => row.secret), person.apiKey, webhook.secret]) {
      expect(all).not.toContain(secret);
    }
  });

  test('shows one moment, without later writes, and is no faster than its reader', async () => {
    const person = await signedIn(service, { plan: 'Pro' });
    const addDays = (from: number, count: number) =>
      app.db.query(
        `insert into tracked_days (lane, account_id, retailer_product_code, day, credits_charged)
         select $1, $2, 'code' || n || repeat('x', 200), 20000, 10 from generate_series($3::int, $4::int) n`,
        [lane(person.accountId), person.accountId, from, from + count - 1],
      );
    await addDays(0, 5_000);
    const pieces: Buffer[] = [];
    let isFirst = true;
    const out = new Writable({
      highWaterMark: 1,
      async write(piece, _encoding, done) {
        pieces.push(piece);
        if (isFirst) await addDays(10_000, 50);
        isFirst = false;
        setImmediate(done);
      },
    });
    const manifest = await exportAccount(app, { accountId: person.accountId, out });
    expect(manifest.files['tracked_days.ndjson']).toBe(5_000);
    expect(linesOf(unzip(Buffer.concat(pieces)).get('tracked_days.ndjson'))).toHaveLength(5_000);
  });

  test('ends and releases everything when the reader stops', async () => {
    const { person } = await fill();
    const out = new PassThrough();
    out.destroy();
    await expect(exportAccount(app, { accountId: person.accountId, out })).rejects.toThrow();
    expect(app.db.usage().background.waiting).toBe(0);
  });
});

test('a few at a time, and one per account', () => {
  const turns = createExportQueue();
  const end = turns.take('a');
  expect(() => turns.take('a')).toThrow('in progress');
  turns.take('b');
  expect(() => turns.take('c')).toThrow('Other exports');
  end();
  turns.take('c');
});

test('other programs can read the archive', async () => {
  const out = new PassThrough();
  const zip = createZipArchive(out, Date.parse('2026-11-15T10:00:00Z'));
  const written = (async () => {
    await zip.add(
      'ä.ndjson',
      (async function* () {
        for (let n = 0; n < 2_000; n++) yield `{"n":${n}}\n`;
      })(),
    );
    await zip.add('empty.ndjson', (async function* () {})());
    await zip.end();
    out.end();
  })();
  const [bytes] = await Promise.all([buffer(out), written]);
  const dir = mkdtempSync(join(tmpdir(), 'accounts-zip-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  writeFileSync(join(dir, 'a.zip'), bytes);
  expect(unzip(bytes).get('ä.ndjson')?.split('\n')).toHaveLength(2_001);
  expect(readFileSync(join(dir, 'a.zip')).subarray(0, 2).toString()).toBe('PK');
  const script =
    'import sys,zipfile;z=zipfile.ZipFile(sys.argv[1]);assert z.testzip() is None;print(z.namelist())';
  try {
    execFileSync('python3', ['--version']);
  } catch {
    return; // no other program is here
  }
  const named = execFileSync('python3', ['-c', script, join(dir, 'a.zip')]).toString();
  expect(named).toContain('ä.ndjson');
});
