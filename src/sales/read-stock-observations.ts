// The looks that estimates of units sold are made from: rank and offers, from the shelf runs and the tails.
import type { ProductTail } from '../catalog/product-row.ts';
import { readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Observation } from '../history/observation.ts';
import { checksumOf, isIntact, readRunsOf } from '../history/runs.ts';
import {
  ALL_TIME,
  openBlock,
  readTail,
  type WalkDeps,
  walkStream,
} from '../history/walk-observations.ts';
import type { StockObservation } from './stock-observation.ts';

type Deps = { db: Database; log: Log };

/** All looks of some products, ascending; `fromAt` in seconds spares what is older, run by run. */
export async function readStockObservations(
  deps: Deps,
  codes: readonly string[],
  fromAtSeconds: number = ALL_TIME.fromAtSeconds,
): Promise<Map<string, StockObservation[]>> {
  const tails = await readTails(deps.db, codes);
  const spans = codes.map((code) => ({ code, fromAtSeconds, toAtSeconds: ALL_TIME.toAtSeconds }));
  const runs = await readRunsOf(deps.db, 'shelf', spans);
  return new Map(
    codes.map((code, index) => {
      const tail = tails.get(code);
      const recent = tail === undefined ? [] : openTail(deps.log, code, tail);
      // Should the tail have been moved into runs meanwhile, its looks are met twice and taken once.
      const tailFrom = recent[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
      const observations = (runs[index] ?? []).flatMap((run) =>
        openBlock(
          deps.log,
          { code, where: `shelf ${run.firstAtSeconds}` },
          isIntact(run) ? run.packed : null,
        ),
      );
      return [
        code,
        [
          ...observations.filter((observation) => observation.atSeconds < tailFrom),
          ...recent,
        ].flatMap(stockObservation),
      ];
    }),
  );
}

/** The same of one product, a page at a time: hundreds of sellers over years are read beside other requests. */
export async function walkStockObservations(
  deps: WalkDeps,
  code: string,
  fromAtSeconds: number = ALL_TIME.fromAtSeconds,
): Promise<StockObservation[]> {
  const recent = (await readTail(deps, code)) ?? [];
  const toAtSeconds = recent[0]?.atSeconds ?? ALL_TIME.toAtSeconds;
  const observations: StockObservation[] = [];
  // Each block has names of its own: without this, one for each look and seller would be kept.
  const names = new Map<string, string>();
  const keep = (observation: Observation) => {
    for (const stock of stockObservation(observation)) {
      for (const offer of stock.offers ?? []) {
        const known = names.get(offer.sellerName);
        if (known === undefined) names.set(offer.sellerName, offer.sellerName);
        else offer.sellerName = known;
      }
      observations.push(stock);
    }
  };
  if (fromAtSeconds < toAtSeconds) {
    const older = walkStream(deps, { code, stream: 'shelf' }, { fromAtSeconds, toAtSeconds });
    for await (const observation of older) keep(observation);
  }
  for (const observation of recent) keep(observation);
  return observations;
}

function openTail(log: Log, code: string, tail: ProductTail): Observation[] {
  const isWhole = checksumOf(tail.bytes) === tail.checksum;
  return openBlock(log, { code, where: 'tail' }, isWhole ? tail.bytes : null);
}

/** What it has of rank and stock; nothing where it looked at neither. */
export function stockObservation(observation: Observation): StockObservation[] {
  if (observation.rank === undefined && observation.offers === undefined) return [];
  return [
    {
      atSeconds: observation.atSeconds,
      rankPosition: observation.rank?.position ?? null,
      rankCategory: observation.rank?.category ?? null,
      offers: observation.offers?.map(({ sellerName, unitsInStock, priceCents }) => ({
        sellerName,
        units: unitsInStock,
        priceCents,
      })),
      offersComplete: observation.offersComplete,
    },
  ];
}
