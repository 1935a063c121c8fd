// A snapshot as a quarantined item stores it. The stored names `observedAt` and `lastUpdatedAt` are
// older than the names in the code and stay, so that items quarantined by an earlier version can be
// retried.
import type { Offer, Snapshot } from '../catalog/snapshot.ts';

type StoredOffer = Omit<Offer, 'lastUpdatedAtMs'> & { lastUpdatedAt: number | null };
type StoredSnapshot = Omit<Snapshot, 'observedAtMs' | 'offers'> & {
  observedAt: number;
  offers?: readonly StoredOffer[] | undefined;
};

export function toPayload({ observedAtMs, offers, ...rest }: Snapshot): StoredSnapshot {
  return {
    ...rest,
    observedAt: observedAtMs,
    offers: offers?.map(({ lastUpdatedAtMs, ...offer }) => ({
      ...offer,
      lastUpdatedAt: lastUpdatedAtMs,
    })),
  };
}

export function fromPayload(payload: unknown): Snapshot {
  const { observedAt, offers, ...rest } = payload as StoredSnapshot;
  return {
    ...rest,
    observedAtMs: observedAt,
    offers: offers?.map(({ lastUpdatedAt, ...offer }) => ({
      ...offer,
      lastUpdatedAtMs: lastUpdatedAt,
    })),
  };
}
