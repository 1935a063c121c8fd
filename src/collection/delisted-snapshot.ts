// The snapshot recorded for a product that the marketplace no longer lists.
import type { Snapshot } from '../catalog/snapshot.ts';
import { SECOND_MS } from '../foundation/time.ts';

/** An empty, complete list: part of the history, but it serves no slot and costs nothing. */
export const delistedSnapshots = (codes: readonly string[], atMs: number): Snapshot[] =>
  codes.map((code) => ({
    code,
    observedAtMs: Math.floor(atMs / SECOND_MS) * SECOND_MS,
    gtins: [],
    buybox: null,
    offers: [],
    offersComplete: true,
  }));
