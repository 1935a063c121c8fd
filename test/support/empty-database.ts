// An empty database, for tests of migrations and restore.
import { inject } from 'vitest';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { newId } from '../../src/foundation/id.ts';
import { createLog } from '../../src/foundation/log.ts';
import { atEnd } from './at-end.ts';
import { onServer, type TestDatabase } from './database.ts';

export type EmptyDatabase = TestDatabase & {
  /** Opens another pool, as another process would. */
  openAgain(): Database;
};

export async function emptyDatabase(): Promise<EmptyDatabase> {
  const { host, port, user, password } = inject('postgres');
  const name = `empty_${newId().replaceAll('-', '')}`;
  await onServer((client) => client.query(`create database ${name} owner ${user}`));
  const connection = { host, port, user, password, database: name };
  const opened: Database[] = [];
  const openAgain = () => {
    const db = openDatabase(connection, createLog('silent'));
    opened.push(db);
    return db;
  };
  const url = `postgres://${user}:${encodeURIComponent(password)}@/${name}?host=${encodeURIComponent(host)}&port=${port}`;
  // Deleted with the server at the end of the run: a drop waits half a second for a checkpoint.
  atEnd(() => Promise.all(opened.map((db) => db.close())));
  return { db: openAgain(), connection, url, openAgain };
}
