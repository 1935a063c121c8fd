// What lets processes of two neighbouring releases run side by side: migrations only add, until a
// later release removes what the one before no longer uses.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { neededVersion } from '../src/database/contract.ts';
import { listMigrations } from '../src/database/migrate.ts';
import { type Added, removals } from './support/expand-rule.ts';
import { readReleasedStatements } from './support/released-statements.ts';

/** Older migrations were written before the rule. */
const LAST_BEFORE_THE_RULE = 94;

const nothing = (): Added => ({ tables: new Set(), columns: new Set() });

test.each([
  'create table notes (lane smallint not null); create unique index one on notes (lane);',
  'create table notes (id uuid); alter table notes add constraint odd check (id is not null);',
  'create index concurrently if not exists accounts_email on accounts (email);',
  'alter table products add column colour text, add column size numeric(4, 1) not null default 0;',
  'alter table accounts add column colour text; update accounts set colour = upper(email) where true;',
  `alter table ledger_entries drop constraint sign_of_kind;
   alter table ledger_entries add constraint sign_of_kind check (credits <> 0) not valid;`,
  `create or replace function one() returns integer language sql as $$ select 1; delete from x $$;`,
  'alter table balances set (fillfactor = 70);',
  `alter table days rename to days_rest; alter index days_pkey rename to days_rest_pkey;
   create table days (like days_rest) partition by range (day);
   alter table days attach partition days_rest default;`,
  'create statistics balances_lane (dependencies) on lane, account_id from balances; analyze balances;',
  `alter table products add column band integer;
   do $$ begin update products set band = 1 where lane = 0; commit; end $$;`,
  `insert into plans (name) values ('; drop table plans');`,
])('a migration may add: %s', (text) => {
  expect(removals(text, nothing())).toEqual([]);
});

test.each([
  'drop table accounts',
  'drop view series_runs',
  'alter table accounts drop column email',
  'alter table accounts rename column email to address',
  'alter table accounts rename to customers',
  'alter table accounts drop column email; create table accounts (id uuid)',
  'alter table accounts alter column email type varchar(10)',
  'alter table accounts add column colour text not null',
  'alter table accounts add column colour text, drop column email',
  'alter table accounts add constraint odd check (false)',
  'alter table accounts drop constraint odd',
  'create unique index one on accounts (email)',
  'update accounts set email = upper(email)',
  'delete from accounts',
  'truncate accounts',
  'do $$ begin drop table accounts; end $$',
  'do $$ begin update accounts set email = upper(email); end $$',
])('a migration may not, unless it contracts: %s', (text) => {
  expect(removals(text, nothing())).toEqual([text.split('; create')[0]]);
});

describe('migrations', async () => {
  const added = nothing();
  const files = (await listMigrations())
    .filter(({ version }) => version > LAST_BEFORE_THE_RULE)
    .map(({ version, name, path }) => {
      const text = readFileSync(path, 'utf8');
      return { version, name, needs: neededVersion(text), removals: removals(text, added) };
    });

  test('only add, or say whose leftovers they remove', () => {
    const unmarked = files.filter(({ needs, removals }) => needs === 0 && removals.length > 0);
    expect(unmarked).toEqual([]);
  });

  test('remove only what a migration of an earlier release made unused', async () => {
    const { newestMigration } = readReleasedStatements();
    const versions = (await listMigrations()).map(({ version }) => version);
    for (const { name, needs } of files.filter(({ needs }) => needs > 0)) {
      expect(versions, name).toContain(needs);
      expect(needs, `${name} contracts what no release has`).toBeLessThanOrEqual(newestMigration);
    }
  });
});

test.each([
  ['-- Contracts 0092: nobody reads the old names.\ndrop view series_runs;', 92],
  ['-- Runs outside a transaction.\n-- Contracts 0080: unused.\ndrop index concurrently x;', 80],
  ['-- Contracts 0092\ndrop view series_runs;', 0],
  ['create table x (id uuid);', 0],
])('a contracting migration names the one that programs must know: %j', (text, needs) => {
  expect(neededVersion(text)).toBe(needs);
});
