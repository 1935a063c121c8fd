// Where the dashboard's own pages come from, and whether a request of theirs really comes from there.
import { Problem } from '../../foundation/problem.ts';

/** Set once it is known where the service listens: PORT may have been 0. */
export type AllowedOrigins = {
  /** What links begin with. */
  publicUrl: string;
  /** Every origin that the dashboard may be opened at. */
  all: ReadonlySet<string>;
};

/** With PUBLIC_URL that alone; without, every name of the address that is listened on. */
export function allowedOrigins(input: {
  publicUrl: string | null;
  host: string;
  port: number;
  /** Of this machine. */
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

/** A name that only begins like such an address is none. */
export const isLoopback = (host: string): boolean =>
  /^127(\.\d{1,3}){3}$/.test(host) || host === '::1' || host === 'localhost';

const originOf = (name: string, port: number): string =>
  new URL(`http://${name.includes(':') ? `[${name}]` : name}:${port}`).origin;

export type PageRequest = {
  method: string;
  /** Host and port as the browser named them. */
  host: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** A page of another site that has its name lead to us is not let in. */
export function refuseForeignHost(own: AllowedOrigins, request: Pick<PageRequest, 'host'>): void {
  for (const origin of own.all) {
    if (isHostOf(origin, request.host)) return;
  }
  throw new Problem(
    'host_not_allowed',
    `This service is not known as ${JSON.stringify(request.host.slice(0, 100))}; open ${own.publicUrl}, or set PUBLIC_URL.`,
  );
}

/** Some proxies name the port also where it is the usual one. */
function isHostOf(origin: string, host: string): boolean {
  const { protocol, host: own } = new URL(origin);
  const usual = protocol === 'https:' ? ':443' : ':80';
  return [own, own + usual].includes(host.toLowerCase());
}

const CHANGING = new Set(['POST', 'PATCH', 'PUT', 'DELETE']);

/** Cookies come along with whatever a browser sends; only what our own pages send may use them. */
export function refuseForeignPage(own: AllowedOrigins, request: PageRequest): void {
  refuseForeignHost(own, request);
  const { origin, 'sec-fetch-site': site, 'content-type': type } = request.headers;
  if (!CHANGING.has(request.method)) {
    if (site === 'cross-site' || site === 'same-site') throw foreignPage();
    return;
  }
  if (typeof origin !== 'string' || !own.all.has(origin) || !isHostOf(origin, request.host)) {
    throw foreignPage();
  }
  // Browsers leave it out where they do not trust the connection: plain http to another machine.
  if (site === undefined ? isTrustworthy(origin) : site !== 'same-origin') throw foreignPage();
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  if (request.method !== 'DELETE' && !isJson) {
    throw new Problem('media_type_unsupported', 'Bodies must be application/json.');
  }
}

const isTrustworthy = (origin: string): boolean => {
  const { protocol, hostname } = new URL(origin);
  return protocol === 'https:' || isLoopback(hostname.replace(/^\[|\]$/g, ''));
};

const foreignPage = () =>
  new Problem('origin_not_allowed', 'This is only for the pages of the dashboard itself.');
