// Carrying over to accounts what midnight left, in a process of its own, until nothing is left.
import { buildApp } from '../src/app.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { monotonicMs, realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { fanOut } from '../src/tracking/fan-out.ts';
import { readWork } from './child.ts';
import { premadeSource } from './premade.ts';

export type CarrySide = { connection: ConnectionSettings };
export type CarryResult = { rows: number; seconds: number };

const work = await readWork<CarrySide>();
const log = createLog('warn');
const db = openDatabase(work.connection, log);
const source = premadeSource(new Map());
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
const startedMs = monotonicMs();
let rows = 0;
for (;;) {
  const some = await fanOut(app);
  if (some === 0) break;
  rows += some;
}
const result: CarryResult = { rows, seconds: (monotonicMs() - startedMs) / 1_000 };
await app.close();
await db.close();
process.stdout.write(JSON.stringify(result));
