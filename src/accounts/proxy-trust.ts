// Whether the address of a request identifies its sender, or only a proxy that forwarded it.
import { BlockList, isIP, isIPv6 } from 'node:net';

type ProxySettings = { PUBLIC_URL: string | null; TRUST_PROXY: unknown };

const LOCAL = new BlockList();
for (const [network, bits] of [
  ['127.0.0.0', 8] as const,
  ['10.0.0.0', 8] as const,
  ['172.16.0.0', 12] as const,
  ['192.168.0.0', 16] as const,
  ['169.254.0.0', 16] as const,
  ['100.64.0.0', 10] as const,
]) {
  LOCAL.addSubnet(network, bits, 'ipv4');
}
LOCAL.addSubnet('::1', 128, 'ipv6');
LOCAL.addSubnet('fc00::', 7, 'ipv6');
LOCAL.addSubnet('fe80::', 10, 'ipv6');

/**
 * An address of this machine or of a private network, where a proxy in front of the service runs.
 */
export const isLocalAddress = (ip: string): boolean =>
  LOCAL.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');

/** Whether this address is reachable from the internet. */
export function isPublicUrl(publicUrl: string | null): boolean {
  if (publicUrl === null) return false;
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isLocalAddress(host);
  return host.includes('.') && !/\.(local|internal|lan|home|test)$/.test(host);
}

/** Advice for an operator when TRUST_PROXY is missing; null if nothing is wrong. */
export function missingProxyAdvice(
  settings: ProxySettings,
): { isCertain: boolean; text: string } | null {
  if (settings.TRUST_PROXY !== null || !isPublicUrl(settings.PUBLIC_URL)) return null;
  // The service itself speaks plain HTTP, so HTTPS means that there is a proxy.
  const isCertain = settings.PUBLIC_URL?.startsWith('https:') ?? false;
  const text = `PUBLIC_URL is public${isCertain ? ' and https, so that a proxy stands in front' : ''}, but TRUST_PROXY is not set: ${
    isCertain ? 'all' : 'behind a proxy all'
  } visitors seem to come from one address and share its limits for sign-in. Set TRUST_PROXY to the address of the proxy.`;
  return { isCertain, text };
}
