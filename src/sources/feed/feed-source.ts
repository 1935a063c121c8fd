// The source that reads an operator's own feed: snapshots over HTTP, as docs/snapshots.md
// describes.
import { LINE_BYTES_MAX, readSnapshotLine } from '../../catalog/read-snapshot.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import { type Clock, isoTime, monotonicMs } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import type { Metrics } from '../../foundation/metrics.ts';
import { Problem } from '../../foundation/problem.ts';
import { readLines } from '../../foundation/read-lines.ts';
import type { FetchOutcome, Source } from '../source.ts';
import { createFeedClient, FEED_LIMITS, type FeedLimits, type FeedRequest } from './feed-client.ts';
import {
  type BadResponse,
  type Body,
  badResponse,
  type ReadOutcome,
  readBatch,
  readCodes,
  readRecord,
} from './read-feed-response.ts';

const CODES_PER_BATCH_MAX = 100;
/**
 * Enough for a hundred records of the usual 2 to 20 KB; not for a hundred of the largest allowed.
 */
const BATCH_BYTES_MAX = 16_000_000;

type Range = { fromMs: number; toMs: number };

type Deps = {
  url: string;
  token: string | null;
  clock: Clock;
  log: Log;
  metrics: Metrics;
};

export function createFeedSource(input: Deps & { limits?: Partial<FeedLimits> }): Source {
  const limits = { ...FEED_LIMITS, ...input.limits };
  const feed = openFeed(input, limits);
  const { metrics } = input;
  metrics.watch(
    'oversight_source_failing',
    '1 while the marketplace fails and only probes are sent.',
    () => (feed.client.isFailing() ? 1 : 0),
  );
  metrics.watch(
    'oversight_source_waiting',
    'Requests to the marketplace that wait for a slot.',
    feed.client.waiting,
  );
  // At most half of the slots, so that customers' requests for single products find free ones.
  const batchesAtOnce = Math.max(1, Math.floor(limits.concurrency / 2));
  return {
    name: 'feed',
    async fetchBatch(codes) {
      const distinct = [...new Set(codes)];
      const batches: string[][] = [];
      for (let start = 0; start < distinct.length; start += CODES_PER_BATCH_MAX) {
        batches.push(distinct.slice(start, start + CODES_PER_BATCH_MAX));
      }
      const outcomeByCode = new Map<string, FetchOutcome>();
      await eachOf(batches, batchesAtOnce, async (batch) => {
        const outcomes = await fetchSome(feed, batch);
        batch.forEach(
          (code, index) => void outcomeByCode.set(code, outcomes[index] as FetchOutcome),
        );
      });
      return codes.map((code) => outcomeByCode.get(code) as FetchOutcome);
    },
    async findByGtin(gtin) {
      const path = `/products?gtin=${encodeURIComponent(gtin)}`;
      const request = { path, bytesMax: LINE_BYTES_MAX, isUrgent: true };
      const outcome = await feed.request(request, readCodes);
      if (outcome.kind === 'bad_response') feed.refuse({ gtin }, [outcome]);
      // A feed that supports search returns an empty list, not a 404, if there is no match.
      return outcome.kind === 'absent' ? { kind: 'unsupported' } : outcome;
    },
    history: (code, range) => readHistory(feed, code, range),
    close: feed.client.close,
  };
}

type Feed = ReturnType<typeof openFeed>;

/** The client with metrics and logs of its responses. */
function openFeed({ clock, log, metrics, ...address }: Deps, limits: FeedLimits) {
  const client = createFeedClient({ ...address, log, limits });
  return {
    client,
    clock,
    /** Returns what the reader makes of the response, or why there is none. */
    async request<T extends object>(request: FeedRequest, reader: (body: Body) => T) {
      const startMs = monotonicMs();
      const response = await client.requestJson(request);
      const outcome = response.kind === 'response' ? reader(response.value) : response;
      metrics.sourceSeconds.observe(
        { source: 'feed', outcome: 'kind' in outcome ? String(outcome.kind) : 'batch' },
        (monotonicMs() - startMs) / 1_000,
      );
      return outcome;
    },
    /** Counts each refusal and logs all refusals of one response in one line. */
    refuse(subject: object, refused: readonly BadResponse[]) {
      if (refused.length === 0) return;
      for (const { reasonClass } of refused) {
        metrics.sourceRefused.inc({ source: 'feed', reason: reasonClass });
      }
      const { reason, reasonClass } = refused[0] as BadResponse;
      log.warn(
        { ...subject, refused: refused.length, reasonClass, reason },
        'the feed sent an unusable response',
      );
    },
  };
}

async function fetchOne(feed: Feed, code: string): Promise<ReadOutcome> {
  const path = `/products/${encodeURIComponent(code)}`;
  const request = { path, bytesMax: LINE_BYTES_MAX, isUrgent: true };
  const outcome = await feed.request(request, (body) => readRecord(body, code, feed.clock.nowMs()));
  if (outcome.kind === 'bad_response') feed.refuse({ code }, [outcome]);
  return outcome.kind === 'absent' ? { kind: 'not_found' } : outcome;
}

/** Fetches at most one batch. */
async function fetchSome(feed: Feed, codes: readonly string[]): Promise<ReadOutcome[]> {
  const [first] = codes;
  if (first !== undefined && codes.length === 1) return [await fetchOne(feed, first)];
  const body = JSON.stringify({ codes });
  const request = { path: '/products/batch', body, bytesMax: BATCH_BYTES_MAX, isUrgent: false };
  const reading = await feed.request(request, (response) =>
    readBatch(response, codes, feed.clock.nowMs()),
  );
  if ('kind' in reading) {
    const whole = reading.kind === 'absent' ? badResponse('status', 'status 404') : reading;
    if (whole.kind === 'bad_response') feed.refuse({ codes: codes.length }, [whole]);
    return codes.map(() => whole);
  }
  const outcomes = codes.map((code) => reading.outcomes.get(code) as ReadOutcome);
  const bad = outcomes.filter((outcome) => outcome.kind === 'bad_response');
  feed.refuse({ codes: codes.length }, [...bad, ...reading.unrequested]);
  return outcomes;
}

async function* readHistory(feed: Feed, code: string, range: Range): AsyncGenerator<Snapshot> {
  const query = new URLSearchParams({ from: isoTime(range.fromMs), to: isoTime(range.toMs) });
  const path = `/products/${encodeURIComponent(code)}/history?${query}`;
  const response = await feed.client.stream(path);
  if (response.kind === 'absent') return;
  if (response.kind === 'bad_response') feed.refuse({ code }, [response]);
  if (response.kind !== 'response') throw cutShort(response.reason);
  const { chunks, end } = response.value;
  let afterMs = range.fromMs;
  try {
    for await (const line of readLines(chunks, LINE_BYTES_MAX)) {
      if (line?.length === 0) continue;
      const expected = { code, afterMs, toMs: range.toMs };
      const outcome = readHistoryLine(line, expected, feed.clock.nowMs());
      if ('kind' in outcome) feed.refuse({ code }, [outcome]);
      else {
        afterMs = outcome.observedAtMs;
        yield outcome;
      }
    }
  } catch (error) {
    throw cutShort(String(error));
  } finally {
    end();
  }
}

function readHistoryLine(
  line: Buffer | null,
  expected: { code: string; afterMs: number; toMs: number },
  nowMs: number,
): Snapshot | BadResponse {
  if (line === null)
    return badResponse('too_large', `a line is longer than ${LINE_BYTES_MAX} bytes`);
  const read = readSnapshotLine(line, nowMs);
  if ('refused' in read) return badResponse('record', read.refused);
  const { code, observedAtMs } = read.snapshot;
  if (code !== expected.code) return badResponse('wrong_code', `the line is for ${code}`);
  // Times are rounded down to the second, so the first may be up to a second before `fromMs`.
  const isInRange = observedAtMs > expected.afterMs - 1_000 && observedAtMs < expected.toMs;
  return isInRange
    ? read.snapshot
    : badResponse('order', `${isoTime(observedAtMs)} is out of order`);
}

function cutShort(reason: string): Problem {
  return new Problem(
    'source_unavailable',
    'The marketplace did not send the complete history of this product.',
    { cause: new Error(reason) },
  );
}

/** Runs `act` for all items, at most `atOnce` at a time. */
async function eachOf<T>(
  all: readonly T[],
  atOnce: number,
  act: (one: T) => Promise<void>,
): Promise<void> {
  const rest = all.values();
  const worker = async () => {
    for (const one of rest) await act(one);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, all.length) }, worker));
}
