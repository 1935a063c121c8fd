// Ingest while the database is unavailable: the current part is repeated, even if its commit may
// have succeeded, and the file is read to its end.
import { Readable } from 'node:stream';
import { afterAll, expect, inject, test } from 'vitest';
import { ingest } from '../../src/collection/ingest.ts';
import { openDatabase } from '../../src/database/database.ts';
import { realClock } from '../../src/foundation/clock.ts';
import { createLog } from '../../src/foundation/log.ts';
import { readObservations } from '../../src/history/read-observations.ts';
import { type Fate, startCuttingProxy } from '../support/cutting-proxy.ts';
import { cloneDatabase } from '../support/database.ts';

const { db, connection } = await cloneDatabase();
const proxy = await startCuttingProxy(inject('postgres'));
const log = createLog('silent');
const cut = openDatabase({ ...connection, ...proxy.connection }, log);
afterAll(async () => {
  await cut.close();
  await proxy.close();
});

const linesOf = (code: string) =>
  Array.from({ length: 20 }, (_, hour) =>
    JSON.stringify({
      retailer_product_code: code,
      observed_at: new Date(Date.UTC(2026, 0, 1) + hour * 3_600_000).toISOString(),
      buybox: { price: 10 + hour, seller_name: null },
    }),
  ).join('\n');

test.each<[Fate, string, string]>([
  ['before', 'commit', '870000011'],
  ['after', 'commit', '870000012'],
  ['before', 'insert into products', '870000013'],
  ['after', 'insert into product_gtins', '870000014'],
])('cut %s "%s": every line is there, once', async (fate, text, code) => {
  let cuts = 0;
  proxy.fateOf = (sent) => (sent.text.startsWith(text) && cuts++ < 2 ? fate : 'pass');
  const done = await ingest(
    { db: cut, clock: realClock, log },
    Readable.from([Buffer.from(linesOf(code))]),
  );
  expect(done).toMatchObject({ lines: 20, refusedCount: 0 });
  expect(done.accepted + done.unchanged).toBe(20);
  expect(await readObservations({ db, log }, code)).toHaveLength(20);
});
