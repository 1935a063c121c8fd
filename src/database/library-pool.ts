// Connections from our pool for a library that has its own SQL and expects times as Date.
import pg from 'pg';
import type { Database } from './database.ts';
import { isOutcomeUnknown } from './failure.ts';

/** The part of a `pg` pool that such libraries use. */
export type LibraryPool = {
  connect(): Promise<{
    query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
    release(): void;
  }>;
  end(): Promise<void>;
};

export function libraryPool(db: Database): LibraryPool {
  return {
    async connect() {
      const client = await db.connect();
      let broken: Error | undefined;
      // Without a listener an error between two statements of a transaction would end the process.
      const onError = (error: Error) => {
        broken = error;
      };
      client.on('error', onError);
      return {
        async query(text, values = []) {
          try {
            // Our parsers return times as numbers; the library expects Date.
            return await client.query({ text, values: values as unknown[], types: pg.types });
          } catch (error) {
            // Its statement may still be running, so the connection is not reused.
            if (isOutcomeUnknown(error)) broken = error as Error;
            throw error;
          }
        },
        release() {
          client.off('error', onError);
          client.release(broken);
        },
      };
    },
    // Whoever opened the pool closes it.
    end: async () => {},
  };
}
