// Connects to hosts named by others: every address a name resolves to is checked at each connect,
// and the checked address is the one dialled. Proxies from the environment are not used.
import { Resolver } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import { connect as connectTls } from 'node:tls';
import { monotonicMs } from '../foundation/clock.ts';
import { errorCode } from '../foundation/kept-text.ts';
import {
  isLocalhost,
  plainHost,
  portOf,
  type TargetRules,
  whyAddressRefused,
} from './target-address.ts';

/** Returns all addresses of a name; rejects with an error code of node:dns. */
export type ResolveName = (name: string, withinMs: number) => Promise<readonly string[]>;

export type CheckedConnectOptions = {
  rules: TargetRules;
  /** From name resolution to the end of the handshake. */
  connectMs: number;
  resolve?: ResolveName;
  /** Certificate authorities to trust instead of the default ones. */
  ca?: string;
};

/** No connection was made; the message is the reason for the log. */
export class ConnectFailure extends Error {}

/** Nothing was dialled: an address of the host is not allowed. */
export class AddressRefused extends ConnectFailure {}

/** Nothing was dialled: the host does not resolve. */
export class NameUnresolved extends ConnectFailure {}

/**
 * The one reason that customers see for a name, so that they cannot probe internal names and
 * addresses. The messages of the errors above are for operators.
 */
export const NAME_REFUSED = 'the name does not resolve to addresses that a webhook may go to';

/** As undici passes it. */
type Destination = { hostname: string; protocol: string; port: string };
type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** Tries at most this many addresses; each gets its share of the time. */
const DIALLED_MAX = 4;
/** For one query to one name server; two tries, within the time of the connect. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** Name resolution must leave time for dialling. */
const DNS_SHARE = 0.6;
const TCP_KEEP_ALIVE_MS = 60_000;

/** For the `connect` of an undici dispatcher. */
export function createCheckedConnect(
  options: CheckedConnectOptions,
): (to: Destination, connected: Connected) => void {
  return (to, connected) => {
    open(options, to).then(
      (socket) => connected(null, socket),
      (error) => connected(error, null),
    );
  };
}

/** Every address of this machine, for the rule that the service must not call itself. */
export function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => address),
  );
}

/** Returns the addresses of a host, all of them checked; or why it is refused. */
export async function findAddresses(
  to: Destination,
  options: CheckedConnectOptions,
): Promise<{ addresses: readonly string[] } | { refused: string }> {
  const host = plainHost(to.hostname);
  const resolved = await addressesOf(host, options);
  if ('refused' in resolved) return resolved;
  const refused = whyOneRefused(resolved.addresses, to, options.rules);
  return refused === null ? resolved : { refused };
}

function whyOneRefused(
  addresses: readonly string[],
  to: Destination,
  rules: TargetRules,
): string | null {
  const port = portOf(to);
  for (const address of addresses) {
    const refused = whyAddressRefused(address, port, rules);
    if (refused !== null) return refused;
  }
  return null;
}

async function addressesOf(
  host: string,
  { connectMs, resolve = resolveByDns }: CheckedConnectOptions,
): Promise<{ addresses: readonly string[] } | { refused: string }> {
  if (isIP(host) !== 0) return { addresses: [host] };
  // Never asks a name server: a response for localhost must not be trusted.
  if (isLocalhost(host)) return { addresses: ['127.0.0.1', '::1'] };
  try {
    const addresses = await resolve(host, connectMs * DNS_SHARE);
    return addresses.length === 0 ? { refused: UNKNOWN_NAME } : { addresses };
  } catch (error) {
    return { refused: nameReason(errorCode(error)) };
  }
}

const UNKNOWN_NAME = 'the name does not resolve';

function nameReason(code = 'unknown'): string {
  if (['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME'].includes(code)) return UNKNOWN_NAME;
  if (['ECANCELLED', 'ETIMEOUT'].includes(code)) return 'the name did not resolve in time';
  return `the name could not be resolved (${code})`;
}

export const resolveByDns: ResolveName = createNameResolver();

/**
 * Uses c-ares: `dns.lookup` waits on the four threads of the process, which one hostile name server
 * can hold. One resolver per name, so that a timeout cancels only its queries; creating one takes
 * 0.04 ms.
 */
export function createNameResolver(servers: readonly string[] = []): ResolveName {
  return async (name, withinMs) => {
    const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), withinMs);
    const responses = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    clearTimeout(timer);
    const addresses = responses.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    if (addresses.length > 0) return addresses;
    const errors = responses.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    // A name that does not exist has neither kind of address: the other error adds nothing.
    throw errors.find((error) => errorCode(error) === 'ENOTFOUND') ?? worst(errors);
  };
}

/** "No data" for one address family is not conclusive while the other failed in another way. */
function worst(errors: readonly unknown[]): unknown {
  return errors.find((error) => errorCode(error) !== 'ENODATA') ?? errors[0];
}

async function open(options: CheckedConnectOptions, to: Destination): Promise<Socket> {
  const endMs = monotonicMs() + options.connectMs;
  const resolved = await addressesOf(plainHost(to.hostname), options);
  if ('refused' in resolved) throw new NameUnresolved(resolved.refused);
  const refused = whyOneRefused(resolved.addresses, to, options.rules);
  if (refused !== null) throw new AddressRefused(refused);
  const addresses = alternateFamilies(resolved.addresses).slice(0, DIALLED_MAX);
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const withinMs = (endMs - monotonicMs()) / (addresses.length - index);
    try {
      return await dial({ ...to, address }, withinMs, options);
    } catch (error) {
      failure ??= error; // report the first failure: the others mostly fail alike
    }
  }
  throw failure;
}

/** Alternates IPv4 and IPv6: a machine may lack either. */
function alternateFamilies(addresses: readonly string[]): string[] {
  const [four, six] = [4, 6].map((family) => addresses.filter((one) => isIP(one) === family));
  return addresses.flatMap((_, index) =>
    [four?.[index], six?.[index]].filter((one) => one !== undefined),
  );
}

function dial(
  to: Destination & { address: string },
  withinMs: number,
  { connectMs, ca }: CheckedConnectOptions,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const isTls = to.protocol === 'https:';
    const where = { host: to.address, port: portOf(to) };
    const socket = isTls ? connectTls({ ...where, ...tlsOptions(to, ca) }) : connectTcp(where);
    let isReached = false;
    const fail = (reason: string) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectFailure(reason));
    };
    const late = () => fail(`no connection within ${connectMs / 1_000} s`);
    const timer = setTimeout(late, Math.max(0, withinMs));
    socket.setNoDelay(true).setKeepAlive(true, TCP_KEEP_ALIVE_MS);
    socket.once('connect', () => {
      isReached = true;
    });
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    // Stays after the socket is handed over, where it has no effect.
    socket.on('error', (error) => fail(isReached ? tlsReason(error) : tcpReason(error)));
  });
}

/** The certificate is verified against the name, whatever address is dialled. */
function tlsOptions(to: Destination, ca: string | undefined) {
  const host = plainHost(to.hostname);
  return {
    // TLS server names cannot be addresses; the certificate is then verified against the address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // whatever the environment says
  };
}

function tcpReason(error: Error): string {
  const code = errorCode(error) ?? '';
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ECONNRESET') return 'connection closed before it was made';
  if (code === 'ETIMEDOUT') return 'the address does not respond';
  if (['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'].includes(code)) {
    return 'the address cannot be reached';
  }
  return `no connection: ${error.message}`;
}

function tlsReason(error: Error & { reason?: string }): string {
  if (errorCode(error) === 'ECONNRESET') return 'TLS: connection closed during the handshake';
  // Without Node's hint for operators.
  return `TLS: ${(error.reason ?? error.message).replace(/; if the root CA .*$/, '')}`;
}
