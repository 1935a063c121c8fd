// Reads the observations that estimates are made from: rank and offers, from shelf runs and tails.
import { readTails } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import type { Log } from '../foundation/log.ts';
import type { Observation } from '../history/observation.ts';
import { isIntact, readRunsOf } from '../history/runs.ts';
import {
  ALL_TIME,
  openBlock,
  readTail,
  unpackTail,
  type WalkDeps,
  walkStream,
} from '../history/walk-observations.ts';
import type { StockObservation } from './stock-observation.ts';

type Deps = { db: Database; log: Log };

/**
 * All observations of some products, ascending. Runs that end before `fromAtSeconds` are not read.
 */
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
      const recent = tail === undefined ? [] : unpackTail(deps.log, code, tail);
      // If the tail was moved into runs meanwhile, its observations are read twice and returned
      // once.
      const tailAtSeconds = recent[0]?.atSeconds ?? Number.POSITIVE_INFINITY;
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
          ...observations.filter((observation) => observation.atSeconds < tailAtSeconds),
          ...recent,
        ].flatMap(stockObservation),
      ];
    }),
  );
}

/** The same for one product, page by page, so that other requests run in between. */
export async function walkStockObservations(
  deps: WalkDeps,
  code: string,
  fromAtSeconds: number = ALL_TIME.fromAtSeconds,
): Promise<StockObservation[]> {
  const recent = (await readTail(deps, code)) ?? [];
  const toAtSeconds = recent[0]?.atSeconds ?? ALL_TIME.toAtSeconds;
  const observations: StockObservation[] = [];
  // Each block has its own strings: sharing them stores each name once.
  const names = new Map<string, string>();
  const add = (observation: Observation) => {
    for (const stock of stockObservation(observation)) {
      for (const offer of stock.offers ?? []) {
        const shared = names.get(offer.sellerName);
        if (shared === undefined) names.set(offer.sellerName, offer.sellerName);
        else offer.sellerName = shared;
      }
      observations.push(stock);
    }
  };
  if (fromAtSeconds < toAtSeconds) {
    const older = walkStream(deps, { code, stream: 'shelf' }, { fromAtSeconds, toAtSeconds });
    for await (const observation of older) add(observation);
  }
  for (const observation of recent) add(observation);
  return observations;
}

/** The rank and stock of an observation; an empty list if neither was observed. */
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
