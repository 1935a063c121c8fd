// One side of the ingest bench, in its own process: our ingest, or a plain loader that parses the
// same file and writes it with COPY, one row per snapshot and one per offer, with primary keys.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { ingest } from '../src/collection/ingest.ts';
import { type ConnectionSettings, type Database, openDatabase } from '../src/database/database.ts';
import { monotonicMs, realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { readWork } from './child.ts';

export type IngestSide = { connection: ConnectionSettings; way: 'ingest' | 'copy'; file: string };
export type IngestResult = { lines: number; perSecond: number; memoryMaxMb: number };

const work = await readWork<IngestSide>();
const log = createLog('warn');
// Neither side is limited by the query timeout of the service.
const db = openDatabase({ ...work.connection, query_timeout: 0 }, log);
let memoryMax = 0;
const watch = setInterval(() => {
  memoryMax = Math.max(memoryMax, process.memoryUsage.rss());
}, 20);
const startedAtMs = monotonicMs();
const lines = work.way === 'ingest' ? await ingestFile() : await copyFile(db, work.file);
const seconds = (monotonicMs() - startedAtMs) / 1000;
clearInterval(watch);
await db.close();
const result: IngestResult = {
  lines,
  perSecond: lines / seconds,
  memoryMaxMb: Math.round(memoryMax / 1e6),
};
process.stdout.write(JSON.stringify(result));

async function ingestFile(): Promise<number> {
  const done = await ingest({ db, clock: realClock, log }, createReadStream(work.file));
  if (done.refusedCount > 0) throw new Error(JSON.stringify(done.refused[0]));
  return done.lines;
}

type PlainOffer = Record<
  'seller_name' | 'price' | 'shipping' | 'units_in_stock' | 'last_updated',
  unknown
>;

async function copyFile(on: Database, file: string): Promise<number> {
  const [snapshots, offers] = await Promise.all([on.connect(), on.connect()]);
  // A million lines take longer than the statement timeout of the service.
  for (const client of [snapshots, offers]) await client.query('set statement_timeout = 0');
  const rows = createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  });
  const into = {
    snapshots: snapshots.query(copyFrom('copy plain_snapshots from stdin')),
    offers: offers.query(copyFrom('copy plain_offers from stdin')),
  };
  let count = 0;
  async function* parts() {
    let [first, second] = ['', ''];
    for await (const line of rows) {
      count++;
      const read = JSON.parse(line);
      const { retailer_product_code: code, observed_at: at } = read;
      first += `${[code, at, read.upc, read.brand, read.product_name, JSON.stringify(read.categories), read.buybox.price, read.buybox.seller_name, read.rank.position, read.rank.category, read.customer_rating, read.number_of_reviews, read.shipping_weight_lb, read.seller_type].join('\t')}\n`;
      for (const offer of read.offers as PlainOffer[]) {
        second += `${[code, at, offer.seller_name, offer.price, offer.shipping, offer.units_in_stock, offer.last_updated].join('\t')}\n`;
      }
      if (first.length > 65_536) {
        yield [first, second] as const;
        [first, second] = ['', ''];
      }
    }
    yield [first, second] as const;
  }
  const send = (target: NodeJS.WritableStream, text: string) =>
    target.write(text) ? undefined : new Promise((resolve) => target.once('drain', resolve));
  for await (const [first, second] of parts()) {
    await Promise.all([send(into.snapshots, first), send(into.offers, second)]);
  }
  await Promise.all(
    [into.snapshots, into.offers].map((target) => pipeline(Readable.from([]), target)),
  );
  snapshots.release();
  offers.release();
  return count;
}
