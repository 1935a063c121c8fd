// The rate limiter of many processes: one count in Redis or Valkey, and while that does not answer,
// the limiter of this process alone.
import { Cluster, Redis } from 'ioredis';
import type { Log } from '../foundation/log.ts';
import type { Admission, RateLimit, RateLimiter } from './rate-limiter.ts';
import { parseRedisAddress } from './redis-address.ts';
import { TAKE_SCRIPT } from './sliding-log-script.ts';

export type RedisRateLimiter = RateLimiter & {
  /** Whether requests are counted by this process alone at the moment. */
  onFallback(): boolean;
};

/** Slower is as good as no answer: a request must not wait for its limit longer than for its data. */
const RESPONSE_TIMEOUT_MS = 50;
/** On fallback, how often Redis is asked whether it answers again; no request waits for that. */
const PROBE_EVERY_MS = 1_000;
/** The first connection may take this long before its absence is called a fallback. */
const FIRST_CONNECTION_WITHIN_MS = 1_000;
const CONNECT_WITHIN_MS = 2_000;
/** A connection whose commands stay unanswered is given up for a new one after this. */
const SILENT_MAX_MS = 5_000;
const RECONNECT_EVERY_MAX_MS = 1_000;
const DISCONNECT_WITHIN_MS = 100;

/** Large enough to be admitted, so that a probe writes as a take does. */
const PROBE: RateLimit = { bucket: 'probe', perSecond: 100 };

/** The fallback stays its giver's to close. Throws only when the address cannot be understood. */
export function createRedisRateLimiter(deps: {
  url: string;
  fallback: RateLimiter;
  log: Log;
  timeoutMs?: number;
}): RedisRateLimiter {
  const { fallback, log, timeoutMs = RESPONSE_TIMEOUT_MS } = deps;
  const client = createClient(deps.url);
  let state: 'starting' | 'shared' | 'alone' | 'closed' = 'starting';
  let timer: NodeJS.Timeout | undefined;
  let connectionError: Error | undefined;

  const fallBack = (accountId: string, error: Error) => {
    if (state === 'alone' || state === 'closed') return;
    state = 'alone';
    const reason = (connectionError ?? error).message;
    log.warn({ reason }, 'Redis does not answer: each process counts requests alone');
    probeLater(accountId);
  };

  // The account whose take failed is probed, as in a cluster another account's node may be well.
  const probeLater = (accountId: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      ask(client, { accountId, limit: PROBE, timeoutMs }).then(
        () => {
          if (state !== 'alone') return;
          state = 'shared';
          log.info('Redis answers again: all processes count requests together');
        },
        () => {
          if (state === 'alone') probeLater(accountId);
        },
      );
    }, PROBE_EVERY_MS).unref();
  };

  client.on('error', (error) => {
    connectionError = error;
  });
  client.on('ready', () => {
    connectionError = undefined;
    if (state !== 'starting') return;
    clearTimeout(timer);
    state = 'shared';
  });
  client.on('close', () => fallBack(PROBE.bucket, new Error('the connection was closed')));
  timer = setTimeout(() => {
    fallBack(PROBE.bucket, new Error(`no connection within ${FIRST_CONNECTION_WITHIN_MS} ms`));
  }, FIRST_CONNECTION_WITHIN_MS).unref();

  return {
    take(accountId, limit) {
      if (state !== 'shared') return fallback.take(accountId, limit);
      return ask(client, { accountId, limit, timeoutMs }).catch((error: Error) => {
        fallBack(accountId, error);
        return fallback.take(accountId, limit);
      });
    },
    onFallback: () => state !== 'shared',
    async close() {
      state = 'closed';
      clearTimeout(timer);
      client.disconnect();
    },
  };
}

/** Whether limits could be counted there now; for an operator who asks, not for requests. */
export async function canReachRedis(url: string): Promise<boolean> {
  const client = createClient(url);
  try {
    await firstConnection(client);
    await ask(client, {
      accountId: PROBE.bucket,
      limit: PROBE,
      timeoutMs: RESPONSE_TIMEOUT_MS,
    });
    return true;
  } catch {
    return false;
  } finally {
    client.disconnect();
  }
}

type Client = (Redis | Cluster) & {
  takeFromLog(key: string, perSecond: number): Promise<[0 | 1, number, number]>;
};

function createClient(url: string): Client {
  const address = parseRedisAddress(url);
  if (address === null) {
    throw new Error('An address of Redis is redis://…, rediss://… or redis+cluster://…');
  }
  const scripts = { takeFromLog: { lua: TAKE_SCRIPT, numberOfKeys: 1 } };
  const connection = {
    connectTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENT_MAX_MS,
    disconnectTimeout: DISCONNECT_WITHIN_MS,
    // A take whose answer was lost is answered by the fallback; sent again it would count twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A former primary keeps the connection and refuses writes; its name may lead to the new one.
    reconnectOnError: (error: Error) => error.message.includes('READONLY'),
  };
  if (address.kind === 'server') {
    return new Redis(address.url, {
      ...connection,
      scripts,
      enableOfflineQueue: false,
      retryStrategy: reconnectDelayMs,
    }) as Redis & Client;
  }
  const { nodes, tls, login } = address;
  return new Cluster(nodes, {
    scripts,
    // Nodes are connected when first needed: the few takes that come meanwhile wait for that instead
    // of failing. Before the cluster itself is there, nothing is asked.
    enableOfflineQueue: true,
    clusterRetryStrategy: reconnectDelayMs,
    // The client's own second tries would come after the answer was given up.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SILENT_MAX_MS,
    redisOptions: { ...connection, ...login, ...(tls ? { tls: {} } : {}) },
    // A certificate is for a node's name, which must not be replaced by the address it resolves to.
    ...(tls ? { dnsLookup: (host, resolved) => resolved(null, host) } : {}),
  }) as Cluster & Client;
}

function reconnectDelayMs(attempt: number): number {
  return Math.min(50 * 2 ** (attempt - 1), RECONNECT_EVERY_MAX_MS);
}

function firstConnection(client: Client): Promise<void> {
  return new Promise((resolve, reject) => {
    client.once('ready', resolve);
    client.once('error', reject);
    client.once('close', () => reject(new Error('the connection was closed')));
  });
}

type Question = { accountId: string; limit: RateLimit; timeoutMs: number };

/** One take inside Redis; rejects when there is no answer in time, whatever the client still does. */
function ask(client: Client, question: Question): Promise<Admission> {
  const { accountId, limit, timeoutMs } = question;
  if (client.status !== 'ready') return Promise.reject(new Error('no connection'));
  return new Promise((resolve, reject) => {
    // When this process itself was busy that long the answer may lie unread: one more turn of the
    // event loop reads it before Redis is blamed.
    const giveUp = () => reject(new Error(`no answer within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    // The braces make a cluster keep all keys of an account on one node.
    client
      .takeFromLog(`ovl:{${accountId}}:${limit.bucket}`, limit.perSecond)
      .then(([admitted, waitUs, left]) =>
        resolve(
          admitted === 1
            ? { admitted: true, holdMs: waitUs / 1000, left }
            : { admitted: false, retryAfterMs: Math.ceil(waitUs / 1000), left: 0 },
        ),
      )
      .catch(reject)
      .finally(() => clearTimeout(timer));
  });
}
