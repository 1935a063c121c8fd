// Faults in the database itself: a trigger that refuses rows with a key, and a row that another
// session locks. They work for every loop without hooks in the service.
import pg from 'pg';
import type { ConnectionSettings, Database } from '../../src/database/database.ts';

let poisons = 0;

/** Makes a table refuse rows that contain the key; returns a function that ends it. */
export async function poison(
  db: Database,
  { table, key, on = 'insert or update' }: { table: string; key: string; on?: string },
): Promise<() => Promise<void>> {
  const name = `poison_${++poisons}`;
  await db.query(
    `create or replace function poison() returns trigger language plpgsql as $$
     begin
       if position(tg_argv[0] in coalesce(to_jsonb(new), to_jsonb(old))::text) > 0 then
         raise exception 'poisoned';
       end if;
       return coalesce(new, old);
     end $$`,
  );
  await db.query(
    `create trigger ${name} before ${on} on ${table} for each row execute function poison('${key}')`,
  );
  return async () => {
    await db.query(`drop trigger ${name} on ${table}`);
  };
}

/** Locks selected rows in another session; returns a function that releases them. */
export async function holdLocked(
  connection: ConnectionSettings,
  select: string,
  values: readonly unknown[],
): Promise<() => Promise<void>> {
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('begin');
  const { rowCount } = await client.query(`${select} for update`, [...values]);
  if (rowCount === 0) throw new Error('nothing was locked');
  return () => client.end();
}

/** Makes reads of rows with this key fail; returns a function that ends it. */
export async function poisonReads(
  db: Database,
  { table, column, key }: { table: string; column: string; key: string },
): Promise<() => Promise<void>> {
  await db.query(
    `create or replace function refuse_read(value text, poisoned text) returns boolean
       language plpgsql as $$
     begin
       if value = poisoned then raise exception 'poisoned'; end if;
       return true;
     end $$`,
  );
  await db.query(`alter table ${table} enable row level security`);
  await db.query(`alter table ${table} force row level security`);
  await db.query(
    `create policy poisoned on ${table} using (refuse_read(${column}::text, '${key}'))`,
  );
  return async () => {
    await db.query(`drop policy poisoned on ${table}`);
    await db.query(`alter table ${table} disable row level security`);
  };
}
