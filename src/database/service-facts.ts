// Facts about the database as a whole, by name: its time lapse, the canary of its key, its demo.
import { type Connection, type Database, statement } from './database.ts';

const READ = statement('read-fact', 'select value from service_facts where name = $1');

export async function readFact(db: Database, name: string): Promise<string | undefined> {
  const [row] = await db.read<{ value: string }>(READ, [name]);
  return row?.value;
}

/** The same in a transaction, or where a lost connection is expected; not retried. */
export async function readFactOn(db: Connection, name: string): Promise<string | undefined> {
  const [row] = await db.query<{ value: string }>(READ, [name]);
  return row?.value;
}

/** Stores a fact unless it exists; returns the stored value. */
export async function noteFactOnce(db: Database, name: string, value: string): Promise<string> {
  await db.query('insert into service_facts (name, value) values ($1, $2) on conflict do nothing', [
    name,
    value,
  ]);
  return (await readFact(db, name)) ?? value;
}

export async function writeFact(db: Connection, name: string, value: string): Promise<void> {
  await db.query(
    `insert into service_facts (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [name, value],
  );
}
