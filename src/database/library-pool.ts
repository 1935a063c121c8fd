// Connections for a library that brings its own SQL and expects times as Date, from the pool that all others use.
import pg from 'pg';
import type { Database } from './database.ts';
import { isOutcomeUnknown } from './failure.ts';

/** What such libraries ask of a pool of `pg`. */
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
            // Our own parsers turn times into numbers; here they stay what the library expects.
            return await client.query({ text, values: values as unknown[], types: pg.types });
          } catch (error) {
            // Its statement may still be under way: nobody else may wait behind it.
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
    // The pool is closed by who opened it.
    end: async () => {},
  };
}
