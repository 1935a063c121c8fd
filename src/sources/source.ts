// The contract of every source of product data: a code or GTIN in, a snapshot or a refusal out.
import type { Snapshot } from '../catalog/snapshot.ts';

/** Why there is no snapshot. Expected failures are values, not errors. */
export type Refusal =
  /** The marketplace does not list the product. */
  | { kind: 'not_found' }
  /** Down, too slow or rate limited: worth a retry. */
  | { kind: 'unavailable'; reason: string; retryAfterMs?: number }
  /** The response cannot be used, and a retry will not help. */
  | { kind: 'bad_response'; reason: string };

export type FetchOutcome = { kind: 'snapshot'; snapshot: Snapshot } | Refusal;

export type CodesOutcome =
  | { kind: 'codes'; codes: readonly string[] }
  /** This source cannot search by GTIN. */
  | { kind: 'unsupported' }
  | Exclude<Refusal, { kind: 'not_found' }>;

export type Source = {
  readonly name: 'simulated' | 'feed' | 'pages';
  /** Products that show well what the service knows; free in the dashboard. */
  readonly sampleCodes?: readonly string[];
  /** Returns one outcome per code, in order; one failure does not affect the others. */
  fetchBatch(codes: readonly string[]): Promise<FetchOutcome[]>;
  /** Returns the codes of the listings with this GTIN-14; an empty list if there are none. */
  findByGtin(gtin: string): Promise<CodesOutcome>;
  /**
   * Past snapshots, oldest first; `fromMs` is inclusive, `toMs` exclusive. null: the source has no
   * history. Empty: it has none of this product. Unusable snapshots are skipped. Throws a Problem
   * if the history ends early, so that a part is never taken for the whole.
   */
  history(code: string, range: { fromMs: number; toMs: number }): AsyncIterable<Snapshot> | null;
  close(): Promise<void>;
};
