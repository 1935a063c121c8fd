// Connections to addresses that others have named: every address a name resolves to is checked at each connect,
// and a checked address is the one that is dialled. Proxies named in the environment are not used.
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

/** All addresses of a name; rejects with a code of node:dns. */
export type ResolveName = (name: string, withinMs: number) => Promise<readonly string[]>;

export type CheckedConnectOptions = {
  rules: TargetRules;
  /** From the name to the end of the handshake. */
  connectMs: number;
  resolve?: ResolveName;
  /** Certificates to trust instead of the usual ones. */
  ca?: string;
};

/** No connection was made; the message says why in words for the log. */
export class ConnectFailure extends Error {}

/** Nothing was dialled: an address that the host leads to is not allowed. */
export class AddressRefused extends ConnectFailure {}

/** Nothing was dialled: the host has no address that is known. */
export class NameUnresolved extends ConnectFailure {}

/**
 * What a customer is told of a name, whatever is wrong with it. Which internal names there are, and at which addresses,
 * is nobody's business: the reasons of the errors above are for operators.
 */
export const NAME_REFUSED = 'the name does not resolve to addresses that a webhook may go to';

/** Where to, as undici asks for it. */
type Destination = { hostname: string; protocol: string; port: string };
type Connected = (...result: [null, Socket] | [Error, null]) => void;

/** Of many addresses only some are tried: each gets its share of the time. */
const DIALLED_MAX = 4;
/** One question to one name server; asked twice, within the time of the connect. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;
/** A name may not use up the time of the dialling. */
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

/** Every address of this machine, for the rule that the service does not call itself. */
export function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((all) =>
    (all ?? []).map(({ address }) => address),
  );
}

/** The addresses that a host leads to, all of them checked; or why it may not be called. */
export async function findAddresses(
  to: Destination,
  options: CheckedConnectOptions,
): Promise<{ addresses: readonly string[] } | { refused: string }> {
  const host = plainHost(to.hostname);
  const found = await addressesOf(host, options);
  if ('refused' in found) return found;
  const refused = whyOneRefused(found.addresses, to, options.rules);
  return refused === null ? found : { refused };
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
  // Name servers do not know it, and one that says it does is not believed.
  if (isLocalhost(host)) return { addresses: ['127.0.0.1', '::1'] };
  try {
    const addresses = await resolve(host, connectMs * DNS_SHARE);
    return addresses.length === 0 ? { refused: UNKNOWN_NAME } : { addresses };
  } catch (error) {
    return { refused: wordsForName(errorCode(error)) };
  }
}

const UNKNOWN_NAME = 'the name does not resolve';

function wordsForName(code = 'unknown'): string {
  if (['ENOTFOUND', 'ENODATA', 'EBADNAME', 'ENONAME'].includes(code)) return UNKNOWN_NAME;
  if (['ECANCELLED', 'ETIMEOUT'].includes(code)) return 'the name did not resolve in time';
  return `the name could not be resolved (${code})`;
}

export const resolveByDns: ResolveName = createNameResolver();

/**
 * Asks name servers by c-ares: `dns.lookup` waits on the four threads of the whole process, which one
 * hostile name server can hold. A resolver for each name, so that giving up ends its questions only;
 * making one takes 0.04 ms.
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
    // A name that is not there has neither kind of address: the other answer says nothing more.
    throw errors.find((error) => errorCode(error) === 'ENOTFOUND') ?? worst(errors);
  };
}

/** No data of one kind is no answer as long as the other kind is not known. */
function worst(errors: readonly unknown[]): unknown {
  return errors.find((error) => errorCode(error) !== 'ENODATA') ?? errors[0];
}

async function open(options: CheckedConnectOptions, to: Destination): Promise<Socket> {
  const endMs = monotonicMs() + options.connectMs;
  const found = await addressesOf(plainHost(to.hostname), options);
  if ('refused' in found) throw new NameUnresolved(found.refused);
  const refused = whyOneRefused(found.addresses, to, options.rules);
  if (refused !== null) throw new AddressRefused(refused);
  const addresses = alternateFamilies(found.addresses).slice(0, DIALLED_MAX);
  let failure: unknown;
  for (const [index, address] of addresses.entries()) {
    const withinMs = (endMs - monotonicMs()) / (addresses.length - index);
    try {
      return await dial({ ...to, address }, withinMs, options);
    } catch (error) {
      failure ??= error; // what is wrong with the first is wrong with most
    }
  }
  throw failure;
}

/** One of each family after the other: a machine may lack either. */
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
    // Stays when the socket is handed over, where it changes nothing any more.
    socket.on('error', (error) => fail(isReached ? wordsForTls(error) : wordsForTcp(error)));
  });
}

/** The certificate is checked against the name, whatever address is dialled. */
function tlsOptions(to: Destination, ca: string | undefined) {
  const host = plainHost(to.hostname);
  return {
    // An address is no server name in TLS; its certificate is then checked against the dialled address.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: true, // whatever the environment says
  };
}

function wordsForTcp(error: Error): string {
  const code = errorCode(error) ?? '';
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ECONNRESET') return 'connection closed before it was made';
  if (code === 'ETIMEDOUT') return 'the address does not answer';
  if (['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'].includes(code)) {
    return 'the address cannot be reached';
  }
  return `no connection: ${error.message}`;
}

function wordsForTls(error: Error & { reason?: string }): string {
  if (errorCode(error) === 'ECONNRESET') return 'TLS: connection closed during the handshake';
  // Without Node's advice to whoever runs it.
  return `TLS: ${(error.reason ?? error.message).replace(/; if the root CA .*$/, '')}`;
}
