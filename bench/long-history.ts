// Five years of hourly points in one response: how long the server takes, and whether its heap
// grows.
import { realNowMs } from '../src/foundation/clock.ts';
import { HOUR_SECONDS, SECOND_MS } from '../src/foundation/time.ts';
import { makeAccounts } from './accounts.ts';
import { runChild } from './child.ts';
import { type Bench, type Measure, measured } from './figure.ts';
import { writeHistories } from './histories.ts';
import type { LongHistoryResult, LongHistorySide } from './long-history-side.ts';

const PRODUCTS = 8;
const POINTS = 5 * 365 * 24;
const RESPONSES = 10_000;
const HEAP_GROWTH_MAX_MB = 4;

export async function longHistoryBench(bench: Bench): Promise<Measure[]> {
  const [account] = await makeAccounts(bench.db, 1);
  const endAtSeconds = Math.floor(realNowMs() / SECOND_MS) - HOUR_SECONDS;
  const shape = { firstCode: 530_000_000, products: PRODUCTS, points: POINTS, endAtSeconds };
  const codes = await writeHistories(bench.db, shape);
  const side: LongHistorySide = {
    connection: bench.connection,
    apiKey: account?.apiKey ?? '',
    codes,
    responses: RESPONSES,
  };
  const done = await runChild<LongHistoryResult>('long-history-side.ts', side, ['--expose-gc']);
  const { heapMb } = done;
  process.stdout.write(
    `  ${done.points} points, ${done.bytes} bytes a response, nothing from the cache; ` +
      `99 of 100 within ${done.p99Ms.toFixed(1)} ms, ${done.cpuMs.toFixed(1)} ms of CPU each; ` +
      `heap after each tenth: ${heapMb.map((mb) => mb.toFixed(1)).join(' ')} MB; ` +
      `memory at most ${done.memoryMaxMb} MB\n`,
  );
  return [
    measured({ name: 'long-history: median ms of a response', value: done.p50Ms, atMost: 15 }),
    measured({
      name: `long-history: MB that the heap grew over ${RESPONSES} responses`,
      value: (heapMb.at(-1) as number) - (heapMb[0] as number),
      atMost: HEAP_GROWTH_MAX_MB,
    }),
  ];
}
