// Which addresses the service may call: the rules for a URL and for an IP address, without network
// I/O.
import { BlockList, isIP } from 'node:net';

const URL_CHARS_MAX = 2_048;
const PORTS_BELOW_1024 = { 'https:': 443, 'http:': 80 } as const;

export type TargetRules = {
  /** For local trials: allows private addresses and plain http. */
  allowPrivateTargets: boolean;
  /**
   * This machine's addresses and the port the service listens on. The addresses are refused at
   * every port, since a firewall may let the machine reach itself; with private targets, at that
   * port only.
   */
  service: { addresses: readonly string[]; port: number };
};

type Range = { is: string; nets: readonly string[]; isPrivate?: true };

// The first range that contains an address names it. From the IANA registries of special-purpose
// addresses (RFC 6890 and its updates) and the documentation of the clouds.
const RANGES: readonly Range[] = [
  {
    is: 'a metadata service',
    nets: [
      '169.254.169.254/32',
      '169.254.170.2/32',
      '169.254.170.23/32', // AWS, Azure, Google; containers
      '100.100.100.200/32',
      '168.63.129.16/32',
      '192.0.0.192/32', // Alibaba, Azure, Oracle
      'fd00:ec2::/32',
      'fd20:ce::254/128', // AWS, Google
    ],
  },
  { is: 'loopback', nets: ['127.0.0.0/8', '::1/128'], isPrivate: true },
  { is: 'unspecified', nets: ['0.0.0.0/8', '::/128'] },
  { is: 'private', nets: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'], isPrivate: true },
  { is: 'unique local', nets: ['fc00::/7'], isPrivate: true },
  { is: 'shared by a carrier', nets: ['100.64.0.0/10'], isPrivate: true },
  { is: 'link-local', nets: ['169.254.0.0/16', 'fe80::/10'] },
  { is: 'site-local', nets: ['fec0::/10'] },
  { is: 'for benchmarks', nets: ['198.18.0.0/15', '2001:2::/48'] },
  {
    is: 'for documentation',
    nets: ['192.0.2.0/24', '198.51.100.0/24', '203.0.113.0/24', '2001:db8::/32', '3fff::/20'],
  },
  { is: 'multicast', nets: ['224.0.0.0/4', 'ff00::/8'] },
  {
    is: 'an IPv4 address inside IPv6',
    nets: [
      '::ffff:0:0/96',
      '::/96',
      '::ffff:0:0:0/96', // mapped, compatible, translated
      '64:ff9b::/96',
      '64:ff9b:1::/48', // NAT64
      '2002::/16',
      '2001::/32', // 6to4, Teredo
    ],
  },
  {
    is: 'reserved',
    nets: [
      '192.0.0.0/24',
      '192.88.99.0/24',
      '240.0.0.0/4',
      // All that is not global unicast (2000::/3), and the protocol assignments in it.
      '::/3',
      '4000::/2',
      '8000::/1',
      '2001::/23',
    ],
  },
];

const LISTS = RANGES.map(({ is, nets, isPrivate }) => {
  const [four, six] = [new BlockList(), new BlockList()];
  for (const net of nets) {
    const [address, bits] = net.split('/') as [string, string];
    if (isIP(address) === 4) four.addSubnet(address, Number(bits), 'ipv4');
    else six.addSubnet(address, Number(bits), 'ipv6');
  }
  return { is, four, six, isPrivate: isPrivate === true };
});

const NO_ADDRESS = { is: 'not an IP address', isPrivate: false };
const IN_ISATAP = { is: 'an IPv4 address inside IPv6', isPrivate: false };

/** Returns the special range of an address; null for a globally reachable one. */
function specialRange(ip: string): { is: string; isPrivate: boolean } | null {
  const address = ip.replace(/%.*$/, ''); // without its zone
  const family = isIP(address);
  if (family === 0) return NO_ADDRESS;
  // Separate lists: a BlockList matches mapped addresses with its IPv4 nets, which names the wrong
  // range.
  const match = LISTS.find(({ four, six }) =>
    family === 4 ? four.check(address, 'ipv4') : six.check(address, 'ipv6'),
  );
  if (match !== undefined) return match;
  return family === 6 && isIsatap(address) ? IN_ISATAP : null;
}

/** Under any prefix, an interface id 0:5efe or 200:5efe embeds an IPv4 address (RFC 5214). */
function isIsatap(address: string): boolean {
  const [head = '', tail] = canonical(address).split('::');
  const left = head.split(':');
  const right = tail === undefined ? [] : tail.split(':').filter((group) => group !== '');
  const zeros = Array<string>(8 - left.length - right.length).fill('0');
  const groups = tail === undefined ? left : [...left, ...zeros, ...right];
  return /^(?:0|200)$/.test(groups[4] ?? '') && groups[5] === '5efe';
}

/** One spelling for each address. */
function canonical(ip: string): string {
  return isIP(ip) === 6 ? new URL(`http://[${ip.replace(/%.*$/, '')}]`).hostname.slice(1, -1) : ip;
}

/** Whether the address is refused unless private targets are allowed. */
export function isRefusedAddress(ip: string): boolean {
  return specialRange(ip) !== null;
}

/** Returns why an address is refused at a port; null when it is allowed. */
export function whyAddressRefused(
  ip: string,
  port: number,
  { allowPrivateTargets, service }: TargetRules,
): string | null {
  const range = specialRange(ip);
  if (range !== null && !(allowPrivateTargets && range.isPrivate)) return notAllowed(ip, range.is);
  // A service that listens on all interfaces is reachable at every loopback address.
  const isService =
    range?.is === 'loopback' || service.addresses.map(canonical).includes(canonical(ip));
  if (isService && (!allowPrivateTargets || port === service.port)) {
    return notAllowed(ip, "this service's own");
  }
  return null;
}

const notAllowed = (address: string, is: string) => `address ${address} is ${is} and not allowed`;

/** A host without the trailing dot of a name and the brackets of IPv6. */
export function plainHost(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names that always mean this machine (RFC 6761). */
export function isLocalhost(host: string): boolean {
  return /^(?:.+\.)?localhost$/i.test(host);
}

/** The port of a URL, explicit or default. */
export function portOf(url: { protocol: string; port: string }): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'http:' ? PORTS_BELOW_1024['http:'] : PORTS_BELOW_1024['https:'];
}

/**
 * Reads a target URL, or returns why it is refused. Checks the host first, so that the reason names
 * the address. A name is checked when it is resolved: at registration and again at each connect.
 */
export function readTarget(
  text: string,
  rules: TargetRules,
): { url: URL } | { refused: string; isAddress?: true } {
  if (text.length > URL_CHARS_MAX) {
    return { refused: `the address is longer than ${URL_CHARS_MAX} characters` };
  }
  if (!URL.canParse(text)) return { refused: 'the address is not a URL' };
  const url = new URL(text);
  const { protocol } = url;
  const isPlain = protocol === 'http:';
  if (protocol !== 'https:' && !isPlain) {
    const plainToo = rules.allowPrivateTargets ? ' or http://' : '';
    return { refused: `the address must begin with https://${plainToo}` };
  }
  const port = portOf(url);
  const host = plainHost(url.hostname);
  const reason = whyHostRefused(host, port, rules);
  if (reason !== null) return { refused: reason, isAddress: true };
  if (url.username !== '' || url.password !== '') {
    return { refused: 'the address must not hold a user name or password' };
  }
  if (isPlain && !rules.allowPrivateTargets) {
    return { refused: 'the address must begin with https://' };
  }
  if (port < 1024 && port !== PORTS_BELOW_1024[protocol]) {
    return { refused: `port ${port} is not allowed; 443 and those above 1023 are` };
  }
  return { url };
}

function whyHostRefused(host: string, port: number, rules: TargetRules): string | null {
  if (isIP(host) !== 0) return whyAddressRefused(host, port, rules);
  if (!isLocalhost(host)) return null;
  // Checked as 127.0.0.1, but the reason names the host.
  return whyAddressRefused('127.0.0.1', port, rules)?.replace('127.0.0.1', host) ?? null;
}
