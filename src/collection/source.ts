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
  /** Past snapshots, oldest first; null where the source has no history. */
  history(code: string, range: { fromMs: number; toMs: number }): AsyncIterable<Snapshot> | null;
  close(): Promise<void>;
};
