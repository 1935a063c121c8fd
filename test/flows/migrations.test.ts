// Migrations from an empty database to the current version: each once, even with concurrent
// starts, and each completely or not at all.
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import {
  listMigrations,
  MIGRATIONS_DIR,
  migrate,
  schemaVersion,
} from '../../src/database/migrate.ts';
import { createLog } from '../../src/foundation/log.ts';
import { cloneDatabase, waitingForLocks } from '../support/database.ts';
import { emptyDatabase } from '../support/empty-database.ts';

const NOW = Date.parse('2026-11-14T12:00:00.000Z');
const listed = await listMigrations();
const names = listed.map((migration) => migration.name);
const newest = listed.at(-1)?.version ?? 0;

const migrated = await cloneDatabase();

const folders: string[] = [];
afterAll(async () => {
  for (const folder of folders) await rm(folder, { recursive: true });
});

/** A copy of the migrations, with more files or other texts. */
async function migrationsWith(files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'oversight-migrations-'));
  folders.push(folder);
  await cp(MIGRATIONS_DIR, folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const number = (version: number) => String(version).padStart(4, '0');
const next = `${number(newest + 1)}_next.sql`;

/** Every table, column and constraint, as text. */
async function schemaOf(db: Database): Promise<string[]> {
  const rows = await db.query<{ line: string }>(
    `select format('%s.%s %s %s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                   a.attnotnull) as line
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
      union all
     select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid))
       from pg_constraint where connamespace = 'public'::regnamespace
      order by 1`,
  );
  return rows.map((row) => row.line);
}

async function tableNames(db: Database): Promise<string[]> {
  const rows = await db.query<{ name: string }>(
    `select relname as name from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by 1`,
  );
  return rows.map((row) => row.name);
}

const applied = (db: Database) =>
  db.query<{ version: number; name: string; applied_at: number }>(
    'select version, name, applied_at from schema_migrations order by version',
  );

describe('an empty database', async () => {
  const [whole, steps, shared] = [
    await emptyDatabase(),
    await emptyDatabase(),
    await emptyDatabase(),
  ];
  const [another, third] = [shared.openAgain(), shared.openAgain()];

  test('is migrated to this version, each migration recorded with its time', async () => {
    const { db } = whole;
    expect(await schemaVersion(db)).toBe(0);
    expect(await migrate(db, NOW)).toEqual(names);
    expect(await schemaVersion(db)).toBe(newest);
    expect(await applied(db)).toEqual(
      listed.map(({ version, name }) => ({ version, name, applied_at: NOW })),
    );
  });

  test('can be migrated to an earlier version first, with the same result', async () => {
    expect(await migrate(steps.db, NOW, { upTo: 2 })).toEqual(names.slice(0, 2));
    expect(await schemaVersion(steps.db)).toBe(2);
    expect(await migrate(steps.db, NOW)).toEqual(names.slice(2));
    expect(await schemaOf(steps.db)).toEqual(await schemaOf(whole.db));
  });

  test('is migrated once by processes that start at the same time', async () => {
    const pools = [shared.db, another, third];
    const done = await Promise.all(pools.map((db) => migrate(db, NOW)));
    expect(done.flat().sort()).toEqual(names);
    expect((await applied(shared.db)).map((row) => row.name)).toEqual(names);
  });
});

describe('a migration that fails', async () => {
  const [last, first] = [await emptyDatabase(), await emptyDatabase()];

  test('is rolled back, keeps the migrations before it, and is retried', async () => {
    const { db } = last;
    const dir = await migrationsWith({
      [next]: 'create table half (id uuid primary key); insert into nowhere values (1);',
    });
    await expect(migrate(db, NOW, { dir })).rejects.toThrow('nowhere');
    expect(await schemaVersion(db)).toBe(newest);
    expect(await tableNames(db)).not.toContain('half');
    await writeFile(join(dir, next), 'create table half (id uuid primary key);');
    expect(await migrate(db, NOW, { dir })).toEqual([next.replace('.sql', '')]);
    expect(await tableNames(db)).toContain('half');
  });

  test('and is the first leaves only the empty list of applied migrations', async () => {
    const { db } = first;
    const file = `${names[0]}.sql`;
    const dir = await migrationsWith({ [file]: 'create table half (id uuid); select 1 / 0;' });
    await expect(migrate(db, NOW, { dir })).rejects.toThrow('division by zero');
    expect(await tableNames(db)).toEqual(['schema_migrations']);
    expect(await schemaVersion(db)).toBe(0);
  });
});

describe('with concurrent traffic', async () => {
  const { db, connection, openAgain } = await emptyDatabase();
  const other = openAgain();
  const dir = await migrationsWith({
    [next]: `create table busy (id integer, at integer) partition by range (at);
      create table busy_2026_01 partition of busy for values from (0) to (10);
      create table plain (id integer);
      insert into plain select generate_series(1, 2000);`,
  });
  const outside = `${number(newest + 2)}_index.sql`;
  const isValid = async (name: string) =>
    db.query('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [name]);

  test('a statement may run longer than the program’s statement timeout', async () => {
    const patience = { statementMaxMs: 60_000 };
    await migrate(db, NOW, { dir, patience });
    const slow = await migrationsWith({
      [next]: await readFile(join(dir, next), 'utf8'),
      [outside]: 'select pg_sleep(0.4); create table slow (id integer);',
    });
    const short = openDatabase({ ...connection, query_timeout: 200 }, createLog('silent'));
    await short.query('select 1');
    await migrate(short, NOW, { dir: slow });
    await short.close();
    expect(await tableNames(db)).toContain('slow');
    await db.query('delete from schema_migrations where version = $1', [newest + 2]);
  });

  test('an index is built during writes, and rebuilt if a crash left it invalid', async () => {
    await writeFile(
      join(dir, outside),
      `-- Runs outside a transaction.
       create unique index concurrently plain_ids on plain (id);
       create index concurrently busy_ids on busy (id) where id > 0;`,
    );
    // A failed build leaves an invalid index.
    await db.query('insert into plain values (1)');
    await expect(migrate(db, NOW, { dir })).rejects.toThrow('plain_ids');
    expect(await isValid('plain_ids')).toEqual([{ valid: false }]);
    await db.query('delete from plain where ctid = (select max(ctid) from plain where id = 1)');
    // An open write transaction does not stop it from starting, and others can write meanwhile.
    let migrating: Promise<string[][]> = Promise.resolve([]);
    await db.transaction(async (tx) => {
      await tx.query('insert into plain values (-1)');
      migrating = Promise.all([migrate(db, NOW, { dir }), migrate(other, NOW, { dir })]);
      await vi.waitFor(async () => expect(await waitingForLocks(db)).toBe(1), { timeout: 20_000 });
      await other.query('insert into plain values (-2)');
      await other.query('insert into busy values (1, 1)');
    });
    expect((await migrating).flat()).toEqual([outside.replace('.sql', '')]);
    for (const name of ['plain_ids', 'busy_ids', 'busy_ids_2026_01']) {
      expect(await isValid(name)).toEqual([{ valid: true }]);
    }
  });

  test('an index build that is killed leaves no invalid index after the next start', async () => {
    const killed = `${number(newest + 3)}_killed.sql`;
    const indexes = ['busy_first', 'busy_first_2026_01', 'plain_last'];
    await writeFile(
      join(dir, killed),
      `-- Runs outside a transaction.
       create index concurrently busy_first on busy (id);
       create index concurrently plain_last on plain (id);`,
    );
    for (const [write, name] of [
      ['insert into busy_2026_01 (id, at) values (5, 5)', 'busy_first_2026_01'],
      ['insert into plain (id) values (-5)', 'plain_last'],
    ] as const) {
      // It waits for this transaction, so that it is in the middle of its work.
      await db.transaction(async (tx) => {
        await tx.query(write);
        const migrating = migrate(db, NOW, { dir }).catch((error) => error);
        await vi.waitFor(async () => expect(await waitingForLocks(db)).toBe(1), {
          timeout: 20_000,
        });
        await other.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query like 'create index concurrently%'`,
        );
        expect(await migrating).toBeInstanceOf(Error);
      });
      expect(await isValid(name)).toEqual([{ valid: false }]);
    }
    expect(await migrate(db, NOW, { dir })).toEqual([killed.replace('.sql', '')]);
    for (const name of indexes) expect(await isValid(name)).toEqual([{ valid: true }]);
  });
});

describe('the files', async () => {
  const { db } = await emptyDatabase();

  test('must have unique numbers, or nothing is applied', async () => {
    const dir = await migrationsWith({ [`${number(newest)}_zzz.sql`]: 'select 1;' });
    await expect(migrate(db, NOW, { dir })).rejects.toThrow('_zzz.sql has no number of its own');
    expect(await tableNames(db)).toEqual([]);
  });

  test('may have gaps in their numbers; a file added in a gap is applied too', async () => {
    const [first, second] = [`${number(newest + 5)}_late.sql`, `${number(newest + 2)}_between.sql`];
    const dir = await migrationsWith({ [first]: 'create table late (id uuid);' });
    await migrate(db, NOW, { dir });
    expect(await schemaVersion(db)).toBe(newest + 5);
    await writeFile(join(dir, second), 'create table in_between (id uuid);');
    expect(await migrate(db, NOW, { dir })).toEqual([second.replace('.sql', '')]);
    expect(await tableNames(db)).toEqual(expect.arrayContaining(['late', 'in_between']));
  });
});

describe('a migrated database', () => {
  const { db } = migrated;

  test('is not changed', async () => {
    const before = [await schemaOf(db), await applied(db)];
    expect(await migrate(db, NOW)).toEqual([]);
    expect([await schemaOf(db), await applied(db)]).toEqual(before);
  });

  test('with busy tables is not changed instead of blocking the traffic', async () => {
    const dir = await migrationsWith({ [next]: 'alter table accounts add column added integer;' });
    const patience = { lockTimeoutMs: 20, lockTriesMax: 2 };
    await db.transaction(async (tx) => {
      await tx.query('lock table accounts in access share mode');
      await expect(migrate(db, NOW, { dir, patience })).rejects.toThrow(
        /^Migration \d+_next could not lock its tables in 2 tries, because transactions hold them/,
      );
    });
    expect(await schemaVersion(db)).toBe(newest);
  });

  test('gets new migrations within bounds of time', async () => {
    const dir = await migrationsWith({
      [next]: `create table added as select current_setting('lock_timeout') as waits;`,
    });
    expect(await migrate(db, NOW, { dir })).toEqual([next.replace('.sql', '')]);
    expect(await db.query('select waits from added')).toEqual([{ waits: '2s' }]);
    expect(await migrate(db, NOW, { dir })).toEqual([]);
  });
});

describe('a database that a newer release has migrated', async () => {
  const [expanded, contracted, foreign] = [
    await cloneDatabase(),
    await cloneDatabase(),
    await cloneDatabase(),
  ];
  const after = `${number(newest + 2)}_after.sql`;
  const expand = { [next]: 'create table added (id uuid);' };
  const contract = {
    [after]: `-- Contracts ${number(newest + 1)}: all use it.\ndrop table plain;`,
  };

  test('is accepted unchanged by an older program while it was only expanded', async () => {
    const { db } = expanded;
    await migrate(db, NOW, { dir: await migrationsWith(expand) });
    const before = [await schemaOf(db), await applied(db)];
    expect(await migrate(db, NOW)).toEqual([]);
    expect([await schemaOf(db), await applied(db)]).toEqual(before);
  });

  test('is accepted when the program knows what the contraction needs, refused otherwise', async () => {
    const { db } = contracted;
    await db.query('create table plain (id uuid)');
    const both = await migrationsWith({ ...expand, ...contract });
    expect(await migrate(db, NOW, { dir: both })).toHaveLength(2);
    expect(await migrate(db, NOW, { dir: await migrationsWith(expand) })).toEqual([]);
    const before = [await schemaOf(db), await applied(db)];
    await expect(migrate(db, NOW)).rejects.toThrow(
      new RegExp(
        `^The database is at version ${newest + 2}, which no longer supports this release \\(this program knows only up to ${newest}\\): .+$`,
      ),
    );
    expect([await schemaOf(db), await applied(db)]).toEqual(before);
  });

  test('is refused when it does not say whom it supports', async () => {
    const { db } = foreign;
    await db.query(
      `insert into schema_migrations (version, name, applied_at) values ($1, 'other', now())`,
      [newest + 1],
    );
    await expect(migrate(db, NOW)).rejects.toThrow('no longer supports this release');
  });

  test('has the same schema whether or not it was made before releases said so', async () => {
    const { db } = foreign;
    await db.query('delete from schema_migrations where version > $1', [newest]);
    const before = await schemaOf(db);
    await db.query('alter table schema_migrations drop column needs_version');
    expect(await migrate(db, NOW)).toEqual([]);
    await db.query('delete from schema_migrations where version = $1', [newest + 1]);
    await migrate(db, NOW, { dir: await migrationsWith({ [next]: 'select 1;' }) });
    expect(await schemaOf(db)).toEqual(before);
  });
});
