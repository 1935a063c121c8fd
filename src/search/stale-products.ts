// Products that this process has recorded since their facts were computed. Kept in memory, so that
// marking a product writes nothing. What a crash loses, the sweep of refresh-facts finds.
import { bounds } from '../foundation/bounds.ts';

export type StaleProducts = ReturnType<typeof createStaleProducts>;

export function createStaleProducts(countMax: number = bounds.staleProductsMax) {
  const codes = new Set<string>();
  return {
    /** Marks a product; beyond the limit it is left to the sweep. */
    add(code: string): void {
      if (codes.size < countMax) codes.add(code);
    },
    /** Takes some products, those that wait the longest first. */
    take(limit: number): string[] {
      const taken: string[] = [];
      for (const code of codes) {
        if (taken.length >= limit) break;
        taken.push(code);
        codes.delete(code);
      }
      return taken;
    },
    count: (): number => codes.size,
  };
}
