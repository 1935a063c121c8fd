// Reads the address of a Redis or Valkey server or cluster. Does not connect.

export type RedisNode = { host: string; port: number };

export type RedisAddress =
  | { kind: 'server'; url: string }
  | {
      kind: 'cluster';
      nodes: RedisNode[];
      tls: boolean;
      login: { username?: string; password?: string };
    };

const SCHEME = /^redis(s?)(\+cluster)?:\/\/(?=.)/;
const PORT_DEFAULT = 6379;

/**
 * Reads `redis://host:port`, `rediss://…` (TLS), `redis+cluster://host:port,host:port` or
 * `rediss+cluster://…`, each with an optional `user:password@`. Returns null for anything else.
 */
export function parseRedisAddress(text: string): RedisAddress | null {
  const [scheme, secure, cluster] = SCHEME.exec(text) ?? [];
  if (scheme === undefined) return null;
  try {
    if (cluster === undefined) return { kind: 'server', url: readAddress(text).url.href };
    // Each host alone forms an ordinary address. The login precedes the first host and is for all.
    const [first, ...others] = text
      .slice(scheme.length)
      .split(',')
      .map((host) => readAddress(`redis://${host}`));
    if (first === undefined) return null;
    return {
      kind: 'cluster',
      nodes: [first, ...others].map((address) => address.node),
      tls: secure === 's',
      login: first.login,
    };
  } catch {
    return null;
  }
}

/** Throws if the address is malformed: a missing host, or a bad percent sign in the login. */
function readAddress(text: string) {
  const url = new URL(text);
  if (url.hostname === '') throw new Error('no host');
  const username = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  return {
    url,
    node: {
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: url.port === '' ? PORT_DEFAULT : Number(url.port),
    },
    login: { ...(username === '' ? {} : { username }), ...(password === '' ? {} : { password }) },
  };
}
