// Reads the statistics of products over windows that end now. Runs are summed up by their stored
// summaries; only the tail, and runs that a window's start cuts, are unpacked.
import { createPause } from '../background/slices.ts';
import type { ProductTail } from '../catalog/product-row.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import type { Log } from '../foundation/log.ts';
import {
  addBlockSummary,
  type BlockSummary,
  type CutSummary,
  emptyBlockSummary,
  lastUndercut,
  type Observed,
  SERIES,
  type Series,
  summarizeBlock,
  type Undercut,
} from './block-summary.ts';
import { OBSERVED_SPAN_SECONDS } from './observed-span.ts';
import { DamagedBlock } from './packed-block.ts';
import { unpackSummary } from './packed-summary.ts';
import {
  checksumOf,
  fillSummaries,
  isTailIntact,
  readRunsOf,
  readSummaries,
  type Stream,
  type SummarizedRun,
  type SummarySpan,
  summaryOf,
} from './runs.ts';
import { carryIn, endAt } from './step-summary.ts';
import type { Span } from './walk-observations.ts';

export type StatisticsDeps = {
  db: Database;
  log: Log;
  /** Runs each read in the queue of an account; without it, reads run at once. */
  takeTurn?: <T>(part: () => Promise<T>) => Promise<T>;
};

export type StatisticsRequest = { code: string; tail: ProductTail };

export type Statistics = {
  /** The last observed value of each series, however old; absent: none was found. */
  current: Partial<Record<Series, Observed>>;
  /** The last price below the current one within the longest window. */
  undercut: Undercut | null;
  /** The first observation of a price within the longest window. */
  firstPriceAtSeconds: number | null;
  /** In the order of the requested windows. */
  windows: readonly BlockSummary[];
};

/** All windows end at the same instant. */
export type Windows = { fromAtSeconds: readonly number[]; toAtSeconds: number };

/** A part of one stream, or the tail: a summary, or the bytes to make one from. */
type Part = {
  key: { code: string; where: string };
  stream: Stream | 'tail';
  span: Span;
  summary: BlockSummary | null;
  bytes: Buffer | null;
};

export async function readStatistics(
  deps: StatisticsDeps,
  requests: readonly StatisticsRequest[],
  windows: Windows,
): Promise<Statistics[]> {
  const pause = createPause();
  const runs = await readAllSummaries(deps, requests, windows);
  const parts: Part[][] = [];
  for (const [index, { code, tail }] of requests.entries()) {
    const ofProduct: Part[] = [];
    for (const run of runs[index] ?? []) {
      ofProduct.push(partOf(deps.log, run, tail));
      await pause();
    }
    parts.push([...ofProduct, tailPart(deps.log, code, tail)]);
  }
  const statistics: Statistics[] = [];
  for (const ofProduct of parts) {
    const summaries = windows.fromAtSeconds.map((fromAtSeconds) =>
      windowOf(deps.log, ofProduct, { fromAtSeconds, toAtSeconds: windows.toAtSeconds }),
    );
    const current = currentOf(deps.log, ofProduct, windows.toAtSeconds);
    statistics.push({ current, undercut: null, firstPriceAtSeconds: null, windows: summaries });
    await pause();
  }
  await addUndercuts(deps, parts, { statistics, windows });
  await fillMissing(deps, runs.flat());
  return statistics;
}

const STREAMS = ['box', 'shelf'] as const;

/** The runs of each product, box before shelf, ascending. */
async function readAllSummaries(
  { db, takeTurn = (part) => part() }: StatisticsDeps,
  requests: readonly StatisticsRequest[],
  windows: Windows,
): Promise<SummarizedRun[][]> {
  const runs = requests.map((): SummarizedRun[][] => [[], []]);
  // A value observed before the longest window may still hold where it begins.
  const fromAtSeconds = Math.max(0, Math.min(...windows.fromAtSeconds) - OBSERVED_SPAN_SECONDS);
  let open: { span: SummarySpan; into: SummarizedRun[] }[] = requests.flatMap(
    ({ code, tail: { runsUntilSeconds } }, index) => {
      // If the tail is moved into runs after it was read, both contain its observations.
      if (runsUntilSeconds === null) return [];
      const toAtSeconds = Math.min(windows.toAtSeconds, runsUntilSeconds + 1);
      return STREAMS.map((stream, at) => ({
        span: { code, stream, fromAtSeconds, toAtSeconds },
        into: runs[index]?.[at] as SummarizedRun[],
      }));
    },
  );
  const limit = bounds.summariesPerPage;
  const options = { edges: windows.fromAtSeconds, limit };
  while (open.length > 0) {
    const spans = open.map(({ span }) => span);
    const pages = await takeTurn(() => readSummaries(db, spans, options));
    open = open.flatMap(({ span, into }, index) => {
      const page = pages[index] ?? [];
      // Runs rewritten between two pages may overlap; none is counted twice.
      const lastAtSeconds = into.at(-1)?.lastAtSeconds ?? -1;
      into.push(...page.filter((run) => run.firstAtSeconds > lastAtSeconds));
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return [];
      return [{ span: { ...span, fromAtSeconds: last.lastAtSeconds + 1 }, into }];
    });
  }
  return runs.map((streams) => streams.flat());
}

/** Whatever the run holds beyond the start of the tail is in the tail. */
function partOf(log: Log, run: SummarizedRun, tail: ProductTail): Part {
  const { code, stream, firstAtSeconds, lastAtSeconds } = run;
  const key = { code, where: `${stream} ${firstAtSeconds}` };
  const span = {
    fromAtSeconds: firstAtSeconds,
    toAtSeconds: Math.min(lastAtSeconds, tail.runsUntilSeconds ?? lastAtSeconds) + 1,
  };
  const part: Part = { key, stream, span, summary: null, bytes: run.packed };
  return intact(log, part, () => {
    if (run.packed === null && run.summary !== null) {
      return { ...part, summary: unpackSummary(run.summary, run.checksum) };
    }
    if (run.packed === null || checksumOf(run.packed) !== run.checksum) {
      throw new DamagedBlock('its checksum differs');
    }
    return { ...part, summary: summarizeBlock(run.packed, span).inside };
  });
}

function tailPart(log: Log, code: string, tail: ProductTail): Part {
  const part: Part = {
    key: { code, where: 'tail' },
    stream: 'tail',
    span: { fromAtSeconds: 0, toAtSeconds: Number.POSITIVE_INFINITY },
    summary: null,
    bytes: tail.bytes,
  };
  return intact(log, part, () => {
    if (!isTailIntact(tail)) throw new DamagedBlock('its checksum differs');
    return part;
  });
}

/** A damaged part is logged and has no observations. */
function intact(log: Log, part: Part, make: () => Part): Part {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...part.key, reason: error.message }, 'damaged history block skipped');
    return { ...part, summary: emptyBlockSummary(), bytes: null };
  }
}

function windowOf(log: Log, parts: readonly Part[], window: Span): BlockSummary {
  const before: CutSummary['before'] = {};
  const inside: BlockSummary[] = [];
  for (const part of parts) {
    const cut = cutPart(log, part, window);
    Object.assign(before, cut.before);
    inside.push(cut.inside);
  }
  const whole = emptyBlockSummary();
  for (const series of SERIES) {
    const carried = before[series];
    const first = inside.find((summary) => summary[series].count > 0)?.[series];
    const isReplaced = first?.firstAtSeconds === window.fromAtSeconds;
    if (carried !== undefined && !isReplaced) {
      carryIn(whole[series], window.fromAtSeconds, carried);
    }
  }
  for (const summary of inside) addBlockSummary(whole, summary);
  for (const series of SERIES) endAt(whole[series], window.toAtSeconds);
  return whole;
}

function cutPart(log: Log, { key, span, summary, bytes }: Part, window: Span): CutSummary {
  if (summary !== null) {
    if (span.fromAtSeconds >= window.fromAtSeconds && span.toAtSeconds <= window.toAtSeconds) {
      return { before: {}, inside: summary };
    }
    if (span.toAtSeconds <= window.fromAtSeconds) {
      return { before: lastValues(summary), inside: emptyBlockSummary() };
    }
  }
  if (bytes === null) return { before: {}, inside: emptyBlockSummary() };
  try {
    return summarizeBlock(bytes, {
      fromAtSeconds: window.fromAtSeconds,
      toAtSeconds: Math.min(span.toAtSeconds, window.toAtSeconds),
    });
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...key, reason: error.message }, 'damaged history block skipped');
    return { before: {}, inside: emptyBlockSummary() };
  }
}

function lastValues(summary: BlockSummary): CutSummary['before'] {
  const values: CutSummary['before'] = {};
  for (const series of SERIES) {
    const { count, lastAtSeconds, lastValue } = summary[series];
    if (count > 0) values[series] = { atSeconds: lastAtSeconds, value: lastValue };
  }
  return values;
}

/** All that was observed before the end of the windows lies before a window that begins there. */
function currentOf(log: Log, parts: readonly Part[], toAtSeconds: number): Statistics['current'] {
  const current: Statistics['current'] = {};
  const span = { fromAtSeconds: toAtSeconds, toAtSeconds };
  for (const part of parts) Object.assign(current, cutPart(log, part, span).before);
  return current;
}

/** Finds the last lower price: in the tail, or in the newest run whose minimum is lower. */
async function addUndercuts(
  deps: StatisticsDeps,
  parts: readonly (readonly Part[])[],
  { statistics, windows }: { statistics: Statistics[]; windows: Windows },
): Promise<void> {
  const { takeTurn = (part) => part() } = deps;
  const span = {
    fromAtSeconds: Math.min(...windows.fromAtSeconds),
    toAtSeconds: windows.toAtSeconds,
  };
  const candidates = statistics.map((one, index) => {
    const priced = (parts[index] ?? []).filter(({ stream }) => stream !== 'shelf');
    const cuts = priced.map((part) => cutPart(deps.log, part, span).inside.price);
    one.firstPriceAtSeconds = cuts.find(({ count }) => count > 0)?.firstAtSeconds ?? null;
    const belowCents = one.current.price?.value ?? null;
    if (belowCents === null) return null;
    const at = cuts.findLastIndex(({ min }) => min !== null && min.value < belowCents);
    if (at === -1) return null;
    const next = cuts.slice(at + 1).find(({ count }) => count > 0);
    return { one, part: priced[at] as Part, belowCents, nextAtSeconds: next?.firstAtSeconds };
  });
  const lower = candidates.filter((entry) => entry !== null);
  const unread = lower.filter(({ part }) => part.bytes === null);
  const spans = unread.map(({ part }) => ({ code: part.key.code, ...part.span }));
  const runs = spans.length === 0 ? [] : await takeTurn(() => readRunsOf(deps.db, 'box', spans));
  for (const { one, part, belowCents, nextAtSeconds } of lower) {
    const bytes = part.bytes ?? runs[unread.findIndex((entry) => entry.one === one)]?.[0]?.packed;
    if (bytes === undefined) continue;
    const undercut = undercutIn(deps.log, part, { bytes, belowCents, span });
    if (undercut === null) continue;
    one.undercut = {
      ...undercut,
      endedAtSeconds: undercut.endedAtSeconds ?? nextAtSeconds ?? null,
    };
  }
}

function undercutIn(
  log: Log,
  { key, span: partSpan }: Part,
  { bytes, belowCents, span }: { bytes: Buffer; belowCents: number; span: Span },
): Undercut | null {
  const toAtSeconds = Math.min(partSpan.toAtSeconds, span.toAtSeconds);
  try {
    return lastUndercut(bytes, { belowCents, span: { ...span, toAtSeconds } });
  } catch (error) {
    if (!(error instanceof DamagedBlock)) throw error;
    log.error({ ...key, reason: error.message }, 'damaged history block skipped');
    return null;
  }
}

/** Runs of older versions have no summary: the next reader finds one. */
async function fillMissing(deps: StatisticsDeps, runs: readonly SummarizedRun[]): Promise<void> {
  const filled = [];
  for (const run of runs) {
    const { summary, packed } = run;
    if (summary !== null || packed === null || checksumOf(packed) !== run.checksum) continue;
    filled.push({ ...run, summary: summaryOf(packed) });
    if (filled.length === bounds.summariesFilledMax) break;
  }
  if (filled.length === 0) return;
  await fillSummaries(deps.db.background, filled).catch((error) => {
    deps.log.warn({ reason: String(error) }, 'run summaries not stored');
  });
}
