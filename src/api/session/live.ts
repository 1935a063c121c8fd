// GET /session/live: tells open pages what has changed for their account, so that they ask for it
// again. Whatever process made the change: each process looks at the database for the accounts that
// are looking at it.
import type { OutgoingHttpHeaders } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { findAccount } from '../../accounts/accounts.ts';
import { type Loop, startPeriodic } from '../../background/periodic.ts';
import { createGate } from '../../background/slices.ts';
import { readBalances } from '../../credits/ledger.ts';
import type { Database } from '../../database/database.ts';
import { lastRecordedAtMs } from '../../events/events.ts';
import { monotonicMs } from '../../foundation/clock.ts';
import type { Log } from '../../foundation/log.ts';
import { Problem } from '../../foundation/problem.ts';
import { readRecentDays } from '../../tracking/tracked-days.ts';
import { listTrackedCodes, readTrackedMark } from '../../tracking/tracked-products.ts';
import { readSeen } from '../../tracking/watchers.ts';
import { readHealthMark } from '../../webhooks/health-records.ts';
import { enterSession, limitSession, SESSION_PATH, type SessionDeps } from './session-endpoint.ts';

export const LIVE_PATH = `${SESSION_PATH}/live`;

const POLL_EVERY_MS = 1_000;
/** Proxies close what says nothing; and a browser notices a dead line only by writing. */
const HEARTBEAT_MS = 15_000;
const UNREAD_BYTES_MAX = 65_536;
/** Who was signed out elsewhere is no longer told anything after this. */
const RECHECK_MS = 30_000;
const LISTENERS_MAX = 2_000;
const OBSERVATIONS_AT_ONCE = 4;
const LISTENERS_PER_ACCOUNT_MAX = 20;
/** Reading what thousands of products were seen at takes tens of milliseconds: less often then. */
const LARGE_LIST = 1_000;
const LARGE_LIST_EVERY_MS = 10_000;

const TOPICS = ['events', 'deliveries', 'tracked', 'credits'] as const;
type Topic = (typeof TOPICS)[number];

type Marks = Record<Topic, string>;

type Audience = {
  listeners: Set<(topics: readonly Topic[]) => void>;
  marks: Marks;
  codes: { mark: string; list: readonly string[] };
  seen: { readMs: number; mark: string };
};

type Live = {
  /** What is the case now, from which on changes are told. */
  begin(accountId: string): Promise<Audience>;
  /** Calls back with what has changed since the beginning; the answer ends it. */
  listen(accountId: string, begun: Audience, tell: (topics: readonly Topic[]) => void): () => void;
  stop(): Promise<void>;
};

function createLive(deps: { db: Database; log: Log }): Live {
  const audiences = new Map<string, Audience>();
  const observation = async () => {
    const gate = createGate(OBSERVATIONS_AT_ONCE, Number.POSITIVE_INFINITY);
    const lookFor = async (accountId: string, audience: Audience) => {
      const marks = await readMarks(deps.db, accountId, audience);
      const before = audience.marks;
      audience.marks = marks;
      const changed = TOPICS.filter((topic) => before[topic] !== marks[topic]);
      if (changed.length > 0) for (const tell of audience.listeners) tell(changed);
    };
    // One that fails does not keep the others waiting.
    const observations = [...audiences].map(([accountId, audience]) =>
      gate(() => lookFor(accountId, audience)),
    );
    const failed = (await Promise.allSettled(observations)).find(
      ({ status }) => status === 'rejected',
    );
    if (failed?.status === 'rejected') throw failed.reason;
  };
  // Nobody looks, nothing is asked.
  let loop: Loop | null = null;
  let stopped: Promise<unknown> = Promise.resolve();
  const startLooking = () =>
    startPeriodic(deps.log, { name: 'live-pages', everyMs: POLL_EVERY_MS, run: observation });
  return {
    begin: async (accountId) => audiences.get(accountId) ?? newAudience(deps.db, accountId),
    listen(accountId, begun, tell) {
      const audience = audiences.get(accountId) ?? begun;
      if (
        audience.listeners.size >= LISTENERS_PER_ACCOUNT_MAX ||
        total(audiences) >= LISTENERS_MAX
      ) {
        throw new Problem('overloaded', 'Too many pages are open at the moment.');
      }
      audiences.set(accountId, audience);
      audience.listeners.add(tell);
      loop ??= startLooking();
      return () => {
        audience.listeners.delete(tell);
        // A page that came meanwhile may have begun another audience.
        if (audience.listeners.size === 0 && audiences.get(accountId) === audience) {
          audiences.delete(accountId);
        }
        if (audiences.size > 0 || loop === null) return;
        stopped = Promise.all([stopped, loop.stop()]);
        loop = null;
      };
    },
    stop: async () => {
      await Promise.all([stopped, loop?.stop()]);
    },
  };
}

async function newAudience(db: Database, accountId: string): Promise<Audience> {
  const audience: Audience = {
    listeners: new Set(),
    marks: { events: '', deliveries: '', tracked: '', credits: '' },
    codes: { mark: '', list: [] },
    seen: { readMs: Number.NEGATIVE_INFINITY, mark: '' },
  };
  audience.marks = await readMarks(db, accountId, audience);
  return audience;
}

const total = (audiences: ReadonlyMap<string, Audience>) =>
  [...audiences.values()].reduce((sum, { listeners }) => sum + listeners.size, 0);

async function readMarks(db: Database, accountId: string, audience: Audience): Promise<Marks> {
  const [recordedAtMs, healthRecords, balances, tracked] = await Promise.all([
    lastRecordedAtMs(db, accountId),
    readHealthMark(db, accountId),
    readBalances(db, [accountId]),
    listMark(db, accountId, audience),
  ]);
  const balance = balances.get(accountId);
  return {
    events: String(recordedAtMs),
    deliveries: healthRecords,
    credits: `${balance?.updatedAtMs} ${balance?.used}`,
    tracked: `${tracked} ${await seenMark(db, { accountId, tracked }, audience)}`,
  };
}

/**
 * A long list is looked through less often: what its own customer changes here is asked for again
 * at once anyway.
 */
async function listMark(db: Database, accountId: string, audience: Audience): Promise<string> {
  const isLarge = audience.codes.list.length > LARGE_LIST;
  if (isLarge && monotonicMs() - audience.seen.readMs < LARGE_LIST_EVERY_MS)
    return audience.codes.mark;
  return readTrackedMark(db, accountId);
}

/** What was seen last lies on the products' side: asked for by their codes. */
async function seenMark(
  db: Database,
  { accountId, tracked }: { accountId: string; tracked: string },
  audience: Audience,
): Promise<string> {
  if (audience.codes.mark !== tracked) {
    const list = await listTrackedCodes(db, accountId);
    audience.codes = { mark: tracked, list };
  }
  const { list } = audience.codes;
  const everyMs = list.length > LARGE_LIST ? LARGE_LIST_EVERY_MS : 0;
  if (monotonicMs() - audience.seen.readMs < everyMs) return audience.seen.mark;
  let sum = 0;
  for (const at of (await readSeen(db, { accountId, codes: list })).values()) sum += at ?? 0;
  // What was seen is shown once its day is paid, which comes a little later.
  const days = await readRecentDays(db, { accountId, codes: list, fromDay: 0 });
  for (const { day, creditsCharged } of days) sum += day * 1_000 + creditsCharged;
  audience.seen = { readMs: monotonicMs(), mark: String(sum) };
  return audience.seen.mark;
}

export function openLive(app: FastifyInstance, deps: SessionDeps & { log: Log }): void {
  const live = createLive(deps);
  const open = new Set<() => void>();
  // A stream never ends by itself: a stop must not wait for it.
  app.addHook('preClose', async () => {
    for (const close of open) close();
    await live.stop();
  });
  app.get(
    LIVE_PATH,
    {
      schema: { hide: true },
      onRequest: async (request, reply) => {
        await enterSession(deps, request, reply);
        await limitSession(deps, request);
      },
    },
    async (request, reply) => {
      const accountId = request.caller?.account.accountId as string;
      const begun = await live.begin(accountId);
      // Gone while we looked: its end was told to nobody, and would not be told again.
      if (reply.raw.destroyed || request.raw.socket.readableEnded) {
        request.raw.socket.destroy();
        return reply.hijack();
      }
      const tell = (text: string) => {
        // Who does not read is not written to without end; a living page connects again.
        if (reply.raw.writableLength > UNREAD_BYTES_MAX) close();
        else reply.raw.write(text);
      };
      const stop = live.listen(accountId, begun, (topics) => tell(changeText(topics)));
      const beat = setInterval(() => tell(': still here\n\n'), HEARTBEAT_MS);
      const recheck = setInterval(async () => {
        if (await isOver(deps, request)) close();
      }, RECHECK_MS);
      let isClosed = false;
      const close = () => {
        if (isClosed) return;
        isClosed = true;
        clearInterval(beat);
        clearInterval(recheck);
        stop();
        open.delete(close);
        request.raw.socket.off('end', close);
        reply.raw.end();
      };
      open.add(close);
      reply.raw.once('close', close);
      // A page that is closed only says so: the server keeps half-closed connections open for
      // responses under way.
      request.raw.socket.once('end', close);
      reply.hijack();
      reply.raw.writeHead(200, {
        // Those of the session, its renewed cookie among them.
        ...(reply.getHeaders() as OutgoingHttpHeaders),
        'content-type': 'text/event-stream; charset=utf-8',
        'x-accel-buffering': 'no',
      });
      reply.raw.write('retry: 2000\n\n');
      return reply;
    },
  );
}

/**
 * Signed out elsewhere, or the account was closed. A database that does not answer is no sign of
 * either.
 */
async function isOver(deps: SessionDeps, request: FastifyRequest): Promise<boolean> {
  try {
    const known = await deps.signIn.personOf(request.headers.cookie, { renew: false });
    const account = known && (await findAccount(deps.db, known.person.accountId));
    return !account || account.closedAtMs !== null;
  } catch {
    return false;
  }
}

const changeText = (topics: readonly Topic[]): string =>
  `event: change\ndata: ${JSON.stringify({ topics })}\n\n`;
