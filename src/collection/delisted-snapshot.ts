// What is recorded of products that the marketplace no longer lists.
import type { Snapshot } from '../catalog/snapshot.ts';

/** An empty, complete list: a fact of its history, nobody's slot, no charge. */
export const delistedSnapshots = (codes: readonly string[], at: number): Snapshot[] =>
  codes.map((code) => ({
    ...{ code, observedAtMs: Math.floor(at / 1000) * 1000, gtins: [] },
    ...{ buybox: null, offers: [], offersComplete: true },
  }));
