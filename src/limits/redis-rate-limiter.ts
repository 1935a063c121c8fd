// A rate limiter for many processes: one count in Redis or Valkey. While Redis does not respond,
// this process counts alone.
import { Cluster, Redis } from 'ioredis';
import type { Log } from '../foundation/log.ts';
import type { Admission, RateLimit, RateLimiter } from './rate-limiter.ts';
import { parseRedisAddress } from './redis-address.ts';
import { TAKE_SCRIPT } from './sliding-log-script.ts';

export type RedisRateLimiter = RateLimiter & {
  /** Whether this process counts requests alone at the moment. */
  onFallback(): boolean;
};

/**
 * A slower response counts as none: a request must not wait longer for its limit than for its data.
 */
const RESPONSE_TIMEOUT_MS = 50;
/** How often to probe Redis on fallback. No request waits for a probe. */
const PROBE_EVERY_MS = 1_000;
/** How long the first connection may take before the limiter falls back. */
const FIRST_CONNECTION_WITHIN_MS = 1_000;
const CONNECT_WITHIN_MS = 2_000;
/** A connection that responds to no command is replaced after this time. */
const SILENT_MAX_MS = 5_000;
const RECONNECT_EVERY_MAX_MS = 1_000;
const DISCONNECT_WITHIN_MS = 100;

/** Large enough to be admitted, so that a probe writes like a take. */
const PROBE: RateLimit = { bucket: 'probe', perSecond: 100 };

/** The caller closes the fallback. Throws only if the address is invalid. */
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
    log.warn({ reason }, 'Redis does not respond: each process counts requests alone');
    probeLater(accountId);
  };

  // Probes the account whose take failed: in a cluster, the node of another account may be healthy.
  const probeLater = (accountId: string) => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      takeFromRedis(client, { accountId, limit: PROBE, timeoutMs }).then(
        () => {
          if (state !== 'alone') return;
          state = 'shared';
          log.info('Redis responds again: all processes count requests together');
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
      return takeFromRedis(client, { accountId, limit, timeoutMs }).catch((error: Error) => {
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

/** Whether Redis can count limits now. For operators, not for requests. */
export async function canReachRedis(url: string): Promise<boolean> {
  const client = createClient(url);
  try {
    await firstConnection(client);
    await takeFromRedis(client, {
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
    throw new Error('A Redis address must start with redis://, rediss:// or redis+cluster://.');
  }
  const scripts = { takeFromLog: { lua: TAKE_SCRIPT, numberOfKeys: 1 } };
  const connection = {
    connectTimeout: CONNECT_WITHIN_MS,
    socketTimeout: SILENT_MAX_MS,
    disconnectTimeout: DISCONNECT_WITHIN_MS,
    // The fallback decides a take whose response was lost; sent again, it would count twice.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    // A former primary keeps the connection and refuses writes; its host name may lead to the new
    // one.
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
    // Nodes are connected when first needed; the few takes in the meantime wait instead of failing.
    // Nothing is sent before the cluster itself is connected.
    enableOfflineQueue: true,
    clusterRetryStrategy: reconnectDelayMs,
    // The client's own retries would come after the take has timed out.
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    slotsRefreshInterval: SILENT_MAX_MS,
    redisOptions: { ...connection, ...login, ...(tls ? { tls: {} } : {}) },
    // A certificate is for the name of a node, so it must not be replaced by its address.
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

type TakeInput = { accountId: string; limit: RateLimit; timeoutMs: number };

/** Runs one take on Redis. Rejects without a response in time, whatever the client still does. */
function takeFromRedis(client: Client, input: TakeInput): Promise<Admission> {
  const { accountId, limit, timeoutMs } = input;
  if (client.status !== 'ready') return Promise.reject(new Error('no connection'));
  return new Promise((resolve, reject) => {
    // If this process was busy that long, the response may be unread. One more turn of the event
    // loop reads it before Redis is blamed.
    const giveUp = () => reject(new Error(`no response within ${timeoutMs} ms`));
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs);
    // The braces keep all keys of an account on one node of a cluster.
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
