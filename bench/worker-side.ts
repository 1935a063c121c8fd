// A whole worker in a separate process, with all its loops: its memory while it collects.
import { buildApp } from '../src/app.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { realClock, sleepMs } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { startLoops } from '../src/loops.ts';
import { readWork } from './child.ts';
import { premadeSource, snapshotOf } from './premade.ts';

export type WorkerSide = { connection: ConnectionSettings; seconds: number };
export type WorkerResult = { memoryMaxMb: number };

const work = await readWork<WorkerSide>();
const log = createLog('warn');
const db = openDatabase(work.connection, log);
const source = premadeSource({ get: (code) => snapshotOf(code, realClock.nowMs()) });
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
let memoryMax = 0;
const watch = setInterval(() => {
  memoryMax = Math.max(memoryMax, process.memoryUsage.rss());
}, 20);
const loops = startLoops(
  { ...app, ledgerPartitions: app.ledgerPartitions, snapshotsPerMinute: 0 },
  { works: true },
);
await sleepMs(work.seconds * 1_000);
await Promise.all(loops.map((loop) => loop.stop()));
clearInterval(watch);
await app.close();
await db.close();
const result: WorkerResult = { memoryMaxMb: Math.round(memoryMax / 1e6) };
process.stdout.write(JSON.stringify(result));
