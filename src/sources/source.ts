// What every source of product data promises: a code or GTIN in, a snapshot or a reason out.
import type { Snapshot } from '../catalog/snapshot.ts';

/** Why there is no snapshot. What is expected of the world is a value, not an error. */
export type Refusal =
  /** The marketplace does not know it. */
  | { kind: 'not_found' }
  /** Down, too slow, or told us to come back later: worth another try. */
  | { kind: 'unavailable'; reason: string; retryAfterMs?: number }
  /** It answered something that cannot be used, and will again. */
  | { kind: 'bad_answer'; reason: string };

export type FetchOutcome = { kind: 'snapshot'; snapshot: Snapshot } | Refusal;

export type CodesOutcome =
  | { kind: 'codes'; codes: readonly string[] }
  /** This source cannot search by GTIN. */
  | { kind: 'unsupported' }
  | Exclude<Refusal, { kind: 'not_found' }>;

export type Source = {
  readonly name: 'simulated' | 'feed' | 'pages';
  /** One outcome for each code, in order; a failure of one is not a failure of the others. */
  fetchBatch(codes: readonly string[]): Promise<FetchOutcome[]>;
  /** Codes of the listings with this GTIN-14; none when there is no such product. */
  findByGtin(gtin: string): Promise<CodesOutcome>;
  /**
   * Past snapshots, oldest first, from inclusive, to exclusive; null where the source has no history, none
   * where it has none of this product. A snapshot that cannot be used is left out. Throws a Problem when it
   * cannot be told to its end: a part must not pass for the whole.
   */
  history(code: string, range: { fromMs: number; toMs: number }): AsyncIterable<Snapshot> | null;
  close(): Promise<void>;
};
