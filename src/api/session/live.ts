// GET /session/live: notifies open pages of changes to their account, so that they reload the data.
// Each process polls the database for the accounts of its open pages, because any process may have
// made the change.
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
/** Proxies close silent connections, and a dead connection is noticed only by writing to it. */
const HEARTBEAT_MS = 15_000;
const UNREAD_BYTES_MAX = 65_536;
/** A page that was signed out elsewhere is disconnected within this time. */
const RECHECK_MS = 30_000;
const LISTENERS_MAX = 2_000;
const POLLS_AT_ONCE = 4;
const LISTENERS_PER_ACCOUNT_MAX = 20;
/** Reading when thousands of products were seen takes tens of milliseconds: poll less often. */
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
  /** Reads the current state, against which changes are detected. */
  begin(accountId: string): Promise<Audience>;
  /** Calls `notify` with the topics changed since `begin`. Returns a function that ends it. */
  listen(
    accountId: string,
    begun: Audience,
    notify: (topics: readonly Topic[]) => void,
  ): () => void;
  stop(): Promise<void>;
};

function createLive(deps: { db: Database; log: Log }): Live {
  const audiences = new Map<string, Audience>();
  const pollAll = async () => {
    const gate = createGate(POLLS_AT_ONCE, Number.POSITIVE_INFINITY);
    const notifyChanges = async (accountId: string, audience: Audience) => {
      const marks = await readMarks(deps.db, accountId, audience);
      const before = audience.marks;
      audience.marks = marks;
      const changed = TOPICS.filter((topic) => before[topic] !== marks[topic]);
      if (changed.length > 0) for (const notify of audience.listeners) notify(changed);
    };
    // A failure of one account does not delay the others.
    const polls = [...audiences].map(([accountId, audience]) =>
      gate(() => notifyChanges(accountId, audience)),
    );
    const failed = (await Promise.allSettled(polls)).find(({ status }) => status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  };
  // Runs only while a page is open.
  let loop: Loop | null = null;
  let stopped: Promise<unknown> = Promise.resolve();
  const startPolling = () =>
    startPeriodic({ log: deps.log }, { name: 'live-pages', everyMs: POLL_EVERY_MS, run: pollAll });
  return {
    begin: async (accountId) => audiences.get(accountId) ?? newAudience(deps.db, accountId),
    listen(accountId, begun, notify) {
      const audience = audiences.get(accountId) ?? begun;
      if (
        audience.listeners.size >= LISTENERS_PER_ACCOUNT_MAX ||
        total(audiences) >= LISTENERS_MAX
      ) {
        throw new Problem(
          'overloaded',
          'Too many pages are open. Close some, or try again in a minute.',
        );
      }
      audiences.set(accountId, audience);
      audience.listeners.add(notify);
      loop ??= startPolling();
      return () => {
        audience.listeners.delete(notify);
        // A page that connected in the meantime may have started another audience.
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
 * A long list is read less often: the page reloads it anyway after the customer's own changes.
 */
async function listMark(db: Database, accountId: string, audience: Audience): Promise<string> {
  const isLarge = audience.codes.list.length > LARGE_LIST;
  if (isLarge && monotonicMs() - audience.seen.readMs < LARGE_LIST_EVERY_MS)
    return audience.codes.mark;
  return readTrackedMark(db, accountId);
}

/** The last observations are stored by product, so they are read by product code. */
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
  const seen = await readSeen(db, { accountId, codes: list });
  for (const { seenAtMs } of seen.values()) sum += seenAtMs ?? 0;
  // An observation is shown once its day is paid, which happens a little later.
  const days = await readRecentDays(db, { accountId, codes: list, fromDay: 0 });
  for (const { day, creditsCharged } of days) sum += day * 1_000 + creditsCharged;
  audience.seen = { readMs: monotonicMs(), mark: String(sum) };
  return audience.seen.mark;
}

export function openLive(app: FastifyInstance, deps: SessionDeps & { log: Log }): void {
  const live = createLive(deps);
  const open = new Set<() => void>();
  // A stream never ends by itself, so the server closes it before it stops.
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
      // The page closed during the read: its close event has already fired.
      if (reply.raw.destroyed || request.raw.socket.readableEnded) {
        request.raw.socket.destroy();
        return reply.hijack();
      }
      const write = (text: string) => {
        // Bounds the buffer of a page that does not read; a live page reconnects.
        if (reply.raw.writableLength > UNREAD_BYTES_MAX) close();
        else reply.raw.write(text);
      };
      const stop = live.listen(accountId, begun, (topics) => write(changeText(topics)));
      const beat = setInterval(() => write(': still here\n\n'), HEARTBEAT_MS);
      const recheck = setInterval(async () => {
        if (await hasEnded(deps, request)) close();
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
      // A closed page only half-closes its connection, which the server otherwise keeps open for
      // responses in progress.
      request.raw.socket.once('end', close);
      reply.hijack();
      reply.raw.writeHead(200, {
        // The headers set by the session check, including a renewed cookie.
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
 * Whether the person was signed out elsewhere or the account was closed. An unreachable database
 * means neither.
 */
async function hasEnded(deps: SessionDeps, request: FastifyRequest): Promise<boolean> {
  try {
    const session = await deps.signIn.personOf(request.headers.cookie, { renew: false });
    const account = session && (await findAccount(deps.db, session.person.accountId));
    return !account || account.closedAtMs !== null;
  } catch {
    return false;
  }
}

const changeText = (topics: readonly Topic[]): string =>
  `event: change\ndata: ${JSON.stringify({ topics })}\n\n`;
