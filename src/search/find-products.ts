// Finds products by their facts: a page of those that all filters match, in the order of one fact.
import type { Database } from '../database/database.ts';
import { inEachGroup } from '../database/lane-groups.ts';
import {
  comparePlaces,
  type FactPlace,
  type FactQuery,
  type FactSort,
  findFacts,
  type StoredFacts,
} from './product-facts.ts';
import { createBudget, type Read } from './time-budget.ts';

export const placeOf = (sort: FactSort, facts: StoredFacts): FactPlace => ({
  value: facts.values[sort.by],
  tie: facts.tie,
  code: facts.code,
});

/**
 * Returns up to `limit` products. Each lane group gives a page, and the pages are merged.
 * Products without the fact come last, in both directions.
 */
export async function findProducts(
  deps: { db: Database; budgetMs?: number },
  query: FactQuery,
): Promise<StoredFacts[]> {
  const { sort, after, limit, filters } = query;
  const budget = createBudget(deps.db, deps.budgetMs);
  const page = async (input: { hasValue: boolean; after: FactPlace | null; limit: number }) => {
    const ask = (inOrder: boolean) => (read: Read) =>
      inEachGroup(deps.db, (lanes) => findFacts(read, lanes, { ...query, ...input, inOrder }));
    // In the order of the sort, matches may come last and be far apart. Reading all that match
    // takes longer at best, but less than a second over a million products at worst.
    const parts = await budget.runOr(ask(true), ask(false));
    return parts
      .flat()
      .sort((a, b) => comparePlaces(sort, placeOf(sort, a), placeOf(sort, b)))
      .slice(0, input.limit);
  };
  const isAmongNulls = after !== null && after.value === null;
  const products = isAmongNulls ? [] : await page({ hasValue: true, after, limit });
  // A range of the fact excludes products that do not have it.
  if (products.length >= limit || filters.ranges[sort.by] !== undefined) return products;
  const rest = await page({
    hasValue: false,
    after: isAmongNulls ? after : null,
    limit: limit - products.length,
  });
  return [...products, ...rest];
}
