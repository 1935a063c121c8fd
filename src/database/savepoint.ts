// Runs part of a transaction that may fail without failing the rest.
import type { Transaction } from './database.ts';

/** Rolls back the work if it throws; the transaction continues. */
export async function inSavepoint<T>(tx: Transaction, work: () => Promise<T>): Promise<T> {
  await tx.query('savepoint part');
  try {
    const result = await work();
    await tx.query('release savepoint part');
    return result;
  } catch (error) {
    // On a lost connection this fails too; the first error has the reason.
    await tx.query('rollback to savepoint part; release savepoint part').catch(() => {});
    throw error;
  }
}
