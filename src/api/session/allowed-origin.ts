// The origins of the dashboard, and the check that a session request comes from one of them.
import { Problem } from '../../foundation/problem.ts';

/** Determined after the service listens: PORT may be 0. */
export type AllowedOrigins = {
  /** The base of links in e-mails. */
  publicUrl: string;
  /** Every origin at which the dashboard may be opened. */
  all: ReadonlySet<string>;
};

/** PUBLIC_URL alone if it is set; otherwise every name of the address that is listened on. */
export function allowedOrigins(input: {
  publicUrl: string | null;
  host: string;
  port: number;
  /** The addresses of this machine. */
  addresses: readonly string[];
}): AllowedOrigins {
  if (input.publicUrl !== null) {
    return { publicUrl: input.publicUrl, all: new Set([input.publicUrl]) };
  }
  const isAny = input.host === '0.0.0.0' || input.host === '::';
  const names = new Set(isAny ? input.addresses : [input.host]);
  if (isAny || isLoopback(input.host)) for (const name of LOOPBACKS) names.add(name);
  const origins = [...names].map((name) => originOf(name, input.port));
  const shown = isAny ? '127.0.0.1' : input.host;
  return { publicUrl: originOf(shown, input.port), all: new Set(origins) };
}

const LOOPBACKS = ['127.0.0.1', 'localhost', '::1'];

/** Matches whole addresses: a host name that starts like a loopback address does not count. */
export const isLoopback = (host: string): boolean =>
  /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === 'localhost';

const originOf = (name: string, port: number): string =>
  new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;

export type PageRequest = {
  method: string;
  /** Host and port as the browser sent them. */
  host: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** Refuses unknown host names: a foreign site could point its own name at us (DNS rebinding). */
export function refuseForeignHost(
  origins: AllowedOrigins,
  request: Pick<PageRequest, 'host'>,
): void {
  for (const origin of origins.all) {
    if (isHostOf(origin, request.host)) return;
  }
  throw new Problem(
    'host_not_allowed',
    `Host ${JSON.stringify(request.host.slice(0, 100))} is not allowed. Open ${origins.publicUrl}, or set PUBLIC_URL.`,
  );
}

/** Some proxies include the default port. */
function isHostOf(origin: string, host: string): boolean {
  const { protocol, host: originHost } = new URL(origin);
  const defaultPort = protocol === 'https:' ? ':443' : ':80';
  return [originHost, originHost + defaultPort].includes(host.toLowerCase());
}

const CHANGING = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);

/** Browsers attach cookies to requests of any site; only our own pages may use them. */
export function refuseForeignPage(origins: AllowedOrigins, request: PageRequest): void {
  refuseForeignHost(origins, request);
  const { origin, 'sec-fetch-site': site, 'content-type': type } = request.headers;
  if (!CHANGING.has(request.method)) {
    if (site === 'cross-site' || site === 'same-site') throw foreignPage();
    return;
  }
  if (typeof origin !== 'string' || !origins.all.has(origin) || !isHostOf(origin, request.host)) {
    throw foreignPage();
  }
  // Browsers omit `sec-fetch-site` on untrustworthy connections: plain http to another machine.
  if (site === undefined ? isTrustworthy(origin) : site !== 'same-origin') throw foreignPage();
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  if (request.method !== 'DELETE' && !isJson) {
    throw new Problem(
      'media_type_unsupported',
      'The body must be JSON. Send `content-type: application/json`.',
    );
  }
}

const isTrustworthy = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
};

const foreignPage = () =>
  new Problem(
    'origin_not_allowed',
    'This endpoint is only for the dashboard. Use the API with an API key.',
  );
