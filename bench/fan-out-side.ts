// Fans out the outbox rows of the midnight bench in a separate process until none is left.
import { buildApp } from '../src/app.ts';
import { type ConnectionSettings, openDatabase } from '../src/database/database.ts';
import { monotonicMs, realClock } from '../src/foundation/clock.ts';
import { createLog } from '../src/foundation/log.ts';
import { fanOut } from '../src/tracking/fan-out.ts';
import { readWork } from './child.ts';
import { premadeSource } from './premade.ts';

export type FanOutSide = { connection: ConnectionSettings };
export type FanOutResult = { rows: number; seconds: number };

const work = await readWork<FanOutSide>();
const log = createLog('warn');
const db = openDatabase(work.connection, log);
const source = premadeSource(new Map());
const app = buildApp({ db, clock: realClock, log, source, settings: { REDIS_URL: null } });
const startedAtMs = monotonicMs();
let rows = 0;
for (;;) {
  const some = await fanOut(app);
  if (some === 0) break;
  rows += some;
}
const result: FanOutResult = { rows, seconds: (monotonicMs() - startedAtMs) / 1_000 };
await app.close();
await db.close();
process.stdout.write(JSON.stringify(result));
