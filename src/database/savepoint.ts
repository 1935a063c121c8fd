// A part of a transaction that may fail without taking the rest with it.
import type { Transaction } from './database.ts';

/** What the work wrote is undone when it throws; the transaction goes on. */
export async function inSavepoint<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint part');
  try {
    const result = await work();
    await tx.query('release savepoint part');
    return result;
  } catch (error) {
    // On a lost connection this fails too: the first error says why.
    await tx.query('rollback to savepoint part; release savepoint part').catch(() => {});
    throw error;
  }
}
