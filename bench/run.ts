// npm run bench -- NAME …: starts a separate PostgreSQL, runs the named benches and prints their
// figures as text and JSON. Absolute numbers depend on the machine; compare ratios within one run.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDatabase } from '../src/database/database.ts';
import { startEmbeddedPostgres } from '../src/database/embedded.ts';
import { migrate } from '../src/database/migrate.ts';
import { realNowMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { appendBench } from './append.ts';
import { batchBench } from './batch.ts';
import { chargeBench } from './charge.ts';
import { chartBench } from './chart.ts';
import { citusBench } from './citus.ts';
import { collectBench } from './collect.ts';
import { compressBench } from './compress.ts';
import { deliverBench } from './deliver.ts';
import { detailsBench } from './details.ts';
import { detectBench } from './detect.ts';
import type { Bench, Figure, Measure } from './figure.ts';
import { finderBench } from './finder.ts';
import { growthBench } from './growth.ts';
import { ingestBench } from './ingest.ts';
import { longHistoryBench } from './long-history.ts';
import { midnightBench } from './midnight.ts';
import { notifyBench } from './notify.ts';
import { panBench } from './pan.ts';
import { priceHistoryBench } from './price-history.ts';
import { scheduleBench } from './schedule.ts';
import { sizeBench } from './size.ts';
import { statsBench } from './stats.ts';
import { trackedSizeBench } from './tracked-size.ts';
import { unitsSoldBench } from './units-sold.ts';

const BENCHES: Readonly<Record<string, (bench: Bench) => Promise<(Figure | Measure)[]>>> = {
  charge: chargeBench,
  chart: chartBench,
  details: detailsBench,
  batch: batchBench,
  detect: detectBench,
  notify: notifyBench,
  deliver: deliverBench,
  ingest: ingestBench,
  'price-history': priceHistoryBench,
  'long-history': longHistoryBench,
  compress: compressBench,
  size: sizeBench,
  stats: statsBench,
  append: appendBench,
  'units-sold': unitsSoldBench,
  schedule: scheduleBench,
  collect: collectBench,
  'tracked-size': trackedSizeBench,
  midnight: midnightBench,
  growth: growthBench,
  finder: finderBench,
  citus: citusBench,
  pan: panBench,
};

const names = process.argv.slice(2);
const unknown = names.filter((name) => BENCHES[name] === undefined);
if (names.length === 0 || unknown.length > 0) {
  process.stderr.write(`Usage: npm run bench -- ${Object.keys(BENCHES).join(' ')}\n`);
  process.exit(2);
}

const dataDir = mkdtempSync(join(tmpdir(), 'oversight-bench-'));
chmodSync(dataDir, 0o755); // when run as root, the database's user must be able to enter
const log = createLog('warn');
const server = await startEmbeddedPostgres({ dataDir, purpose: 'service', log });
try {
  const db = openDatabase(server.connection, log);
  await migrate(db, realNowMs());
  const settings = ['server_version', 'fsync', 'synchronous_commit', 'shared_buffers'];
  const [row] = await db.read<Record<string, string>>(
    `select ${settings.map((name) => `current_setting('${name}') as ${name}`).join(', ')}`,
  );
  process.stdout.write(`PostgreSQL ${JSON.stringify(row)}, Node ${process.version}\n`);
  for (const name of names) {
    process.stdout.write(`\n${name}\n`);
    const figures = await BENCHES[name]?.({
      db,
      connection: server.connection,
      logFolder: join(server.location, 'log'),
    });
    process.stdout.write(`${JSON.stringify({ bench: name, figures })}\n`);
  }
  await db.close();
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
