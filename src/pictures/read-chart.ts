// Reads what a chart shows, from the packed history: price from the box stream, rank and stock from
// the shelf stream, and the account's events for the product.
import type { Product } from '../catalog/product.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import { EVENTS_KEPT_MS, listNewestEvents } from '../events/events.ts';
import { bounds } from '../foundation/bounds.ts';
import { SECOND_MS } from '../foundation/time.ts';
import { COMPLETE, HAS_OFFERS, HAS_RANK } from '../history/packed-block.ts';
import type { PackedCursor } from '../history/packed-cursor.ts';
import { visitStream } from '../history/visit-stream.ts';
import type { WalkDeps } from '../history/walk-observations.ts';
import { type Chart, type ChartMark, type ChartSeries, PANELS, type PanelSeries } from './chart.ts';
import { ColumnTrack } from './column-track.ts';

export type ChartRequest = {
  accountId: string;
  product: Product;
  tail: ProductTail;
  fromAtSeconds: number;
  toAtSeconds: number;
  series: ReadonlySet<ChartSeries>;
  columns: number;
};

export async function readChart(deps: WalkDeps, request: ChartRequest): Promise<Chart> {
  const { product, tail, fromAtSeconds, toAtSeconds, series, columns } = request;
  const { code } = product;
  const rankCategory = product.rank?.category ?? null;
  const span = { fromAtSeconds, toAtSeconds, columns };
  const tracks = new Map<PanelSeries, ColumnTrack>();
  for (const one of PANELS) if (series.has(one)) tracks.set(one, new ColumnTrack(span));
  const [price, rank, stock] = PANELS.map((one) => tracks.get(one));
  const read = {
    // The value at the start was observed before it.
    fromAtSeconds: Math.max(0, fromAtSeconds - ColumnTrack.lookbackSeconds),
    toAtSeconds,
  };
  if (price !== undefined) {
    await visitStream(deps, { code, stream: 'box', tail }, read, ({ state, boxCents }) => {
      if (boxCents !== undefined) price.add(state.atSeconds, boxCents);
    });
  }
  if (rank !== undefined || stock !== undefined) {
    await visitStream(deps, { code, stream: 'shelf', tail }, read, (cursor) => {
      const { state } = cursor;
      if (rank !== undefined && isRankIn(cursor, rankCategory)) {
        rank.add(state.atSeconds, state.rankPosition);
      }
      if (stock !== undefined && (state.kind & WHOLE_SHELF) === WHOLE_SHELF) {
        stock.add(state.atSeconds, unitsOf(cursor));
      }
    });
  }
  for (const track of tracks.values()) track.end();
  const marks = series.has('events') ? await readMarks(deps, request) : [];
  const { name: productName } = product;
  return { code, productName, rankCategory, fromAtSeconds, toAtSeconds, tracks, marks };
}

/** Only a complete list has a total. */
const WHOLE_SHELF = HAS_OFFERS | COMPLETE;

/** Ranks compare within one category: that of the newest one. */
function isRankIn({ state }: PackedCursor, category: string | null): boolean {
  if ((state.kind & HAS_RANK) === 0) return false;
  return category === null || state.names[state.rankCategory - 1]?.name === category;
}

/** The units of all sellers; null if those of one are unknown. */
function unitsOf({ state }: PackedCursor): number | null {
  let total = 0;
  for (const number of state.roster) {
    const seller = state.names[number - 1];
    if (seller === undefined || seller.unknown) return null;
    total += seller.units;
  }
  return total;
}

async function readMarks(
  { db }: WalkDeps,
  { accountId, product, fromAtSeconds, toAtSeconds }: ChartRequest,
): Promise<ChartMark[]> {
  const toAtMs = toAtSeconds * SECOND_MS;
  const events = await listNewestEvents(db, {
    accountId,
    code: product.code,
    oldestAtMs: Math.max(fromAtSeconds * SECOND_MS, toAtMs - EVENTS_KEPT_MS),
    limit: bounds.chartMarksMax,
  });
  return events
    .filter(({ atMs }) => atMs < toAtMs)
    .map(({ atMs, kind }) => ({ atSeconds: Math.floor(atMs / SECOND_MS), kind }))
    .reverse();
}
