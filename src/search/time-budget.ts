// The time that the statements of one search may take together. The server cancels what takes
// longer, and the request is free.
import type { Database, Statement } from '../database/database.ts';
import { sqlStateOf } from '../database/failure.ts';
import { bounds } from '../foundation/bounds.ts';
import { monotonicMs } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';

export type Read = <Row>(what: Statement | string, values: readonly unknown[]) => Promise<Row[]>;

const CANCELLED = '57014';
const FIRST_PART = 0.15;

const isTooSlow = (error: unknown) => error instanceof Problem && error.code === 'search_too_slow';

export function createBudget(db: Database, budgetMs: number = bounds.searchBudgetMs) {
  const endMs = monotonicMs() + budgetMs;
  const within = async <T>(partMs: number, work: (read: Read) => Promise<T>): Promise<T> => {
    const leftMs = Math.min(partMs, endMs - monotonicMs());
    if (leftMs < 1) throw tooSlow(undefined);
    try {
      return await work((what, values) => db.readWithin(leftMs, what, values));
    } catch (error) {
      if (sqlStateOf(error) === CANCELLED) throw tooSlow(error);
      throw error;
    }
  };
  return {
    /** Runs work with a `read` that ends in time; throws `search_too_slow` if it does not. */
    run: <T>(work: (read: Read) => Promise<T>): Promise<T> => within(budgetMs, work),
    /** Runs the first within a part of the time, then the second within the rest. */
    async runOr<T>(
      first: (read: Read) => Promise<T>,
      second: (read: Read) => Promise<T>,
    ): Promise<T> {
      try {
        return await within(budgetMs * FIRST_PART, first);
      } catch (error) {
        if (!isTooSlow(error)) throw error;
        return within(budgetMs, second);
      }
    },
  };
}

const tooSlow = (cause: unknown) =>
  new Problem(
    'search_too_slow',
    'The search took too long and was cancelled. Nothing was charged. Use filters or words that fewer products match.',
    { cause },
  );
