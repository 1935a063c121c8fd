// Which URLs and addresses are allowed as targets.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isRefusedAddress,
  readTarget,
  type TargetRules,
  whyAddressRefused,
} from './target-address.ts';

const service = { addresses: ['8.8.4.4', '2600:1f00::5', '192.168.1.5'], port: 8080 };
const strict: TargetRules = { allowPrivateTargets: false, service };
const lenient: TargetRules = { allowPrivateTargets: true, service };
const why = (url: string, rules = strict) => {
  const read = readTarget(url, rules);
  return 'refused' in read ? read.refused : null;
};

describe('an address is refused', () => {
  test.each([
    ['loopback', ['127.0.0.1', '127.255.255.255', '::1', '0000::1']],
    ['unspecified', ['0.0.0.0', '0.255.255.255', '::']],
    ['private', ['10.0.0.1', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.1']],
    ['unique local', ['fc00::1', 'fdff:ffff::1']],
    ['shared by a carrier', ['100.64.0.1', '100.127.255.255']],
    ['link-local', ['169.254.0.1', 'fe80::1', 'febf::1', 'fe80::1%eth0']],
    ['site-local', ['fec0::1', 'feff::1']],
    ['for benchmarks', ['198.18.0.1', '198.19.255.255', '2001:2::1']],
    ['for documentation', ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1']],
    ['multicast', ['224.0.0.1', '239.255.255.255', 'ff02::1']],
    ['reserved', ['192.0.0.1', '192.88.99.1', '240.0.0.1', '255.255.255.255']],
    ['reserved', ['100::1', '5f00::1', '4000::1', '8000::1', '2001:20::1', '1fff::1']],
    ['a metadata service', ['169.254.169.254', '169.254.170.2', '100.100.100.200']],
    ['a metadata service', ['168.63.129.16', '192.0.0.192', 'fd00:ec2::254', 'fd20:ce::254']],
    ['an IPv4 address inside IPv6', ['::ffff:8.8.8.8', '::ffff:7f00:1', '::127.0.0.1']],
    ['an IPv4 address inside IPv6', ['64:ff9b::8.8.8.8', '64:ff9b:1::1', '::ffff:0:8.8.8.8']],
    ['an IPv4 address inside IPv6', ['2002:808:808::1', '2001::1', '2001:0:808:808::1']],
    ['an IPv4 address inside IPv6', ['2600::5efe:10.0.0.1', '2600::200:5efe:7f00:1']],
    ['an IPv4 address inside IPv6', ['2600:1:2:3:0:5efe:a00:1']],
    ['not an IP address', ['', 'example.com', '1.2.3', '256.1.1.1', '[::1]']],
  ])('that is %s: %j', (is, addresses) => {
    for (const address of addresses) {
      expect(isRefusedAddress(address), address).toBe(true);
      expect(whyAddressRefused(address, 443, strict)).toBe(
        `address ${address} is ${is} and not allowed`,
      );
    }
  });

  test('unless it is globally reachable', () => {
    const reachable = [
      '1.1.1.1',
      '8.8.8.8',
      '9.255.255.255',
      '11.0.0.0',
      '100.63.255.255',
      '100.128.0.0',
      '126.255.255.255',
      '128.0.0.1',
      '169.253.0.1',
      '172.15.255.255',
      '172.32.0.0',
      '192.167.255.255',
      '192.169.0.0',
      '198.17.255.255',
      '198.20.0.0',
      '223.255.255.255',
      '2000::1',
      '2001:200::1',
      '2001:4860:4860::8888',
      '2600::1',
      '2a00:1450::1',
      '3ffe::1',
      '2600::5efe',
      '2600::1:5efe:10.0.0.1',
    ];
    expect(reachable.filter(isRefusedAddress)).toEqual([]);
  });

  test('in any IPv6 form', () => {
    const byte = fc.nat(255);
    fc.assert(
      fc.property(fc.tuple(byte, byte, byte, byte), (bytes) => {
        const four = bytes.join('.');
        const hex = Buffer.from(bytes).toString('hex');
        const [high, low] = [hex.slice(0, 4), hex.slice(4)];
        const forms = [`::ffff:${four}`, `::${four}`, `64:ff9b::${four}`, `2002:${high}:${low}::1`];
        const six = [...forms, `64:ff9b:1:${high}:${low}::`, `2001:0:${high}:${low}::1`];
        expect(six.filter((address) => !isRefusedAddress(address))).toEqual([]);
      }),
    );
  });

  test("when it is this machine's, at any port", () => {
    for (const address of ['8.8.4.4', '2600:1f00:0::0005']) {
      expect(whyAddressRefused(address, 443, strict)).toMatch(/this service's own/);
    }
  });
});

describe('an allowed target is', () => {
  test.each([
    'https://example.com/hook?x=1',
    'https://example.com./hook',
    'https://example.com:8443/',
    'https://example.com:1024/',
    'https://bücher.example/',
    'https://8.8.8.8/',
    'https://[2600::1]:9000/',
    'https://localhost.example.com/',
  ])('%s', (url) => {
    expect(why(url)).toBeNull();
  });

  test('private or plain http when those are allowed', () => {
    const allowed = [
      'http://localhost:9000/',
      'http://app.localhost:9000/',
      'http://127.0.0.1:9000/',
      'http://[::1]:9000/',
      'http://10.0.0.1/',
      'https://192.168.0.9/',
      'http://[fd12::1]/',
      'http://100.64.0.1:3000/',
      'http://example.com/',
    ];
    for (const url of allowed) expect(why(url, lenient), url).toBeNull();
  });
});

describe('a target is refused', () => {
  // The addresses of the recorded list and similar ones, with https.
  test.each([
    ['https://127.0.0.1/', '127.0.0.1'],
    ['https://127.0.1/', '127.0.0.1'],
    ['https://127.1/', '127.0.0.1'],
    ['https://2130706433/', '127.0.0.1'],
    ['https://017700000001/', '127.0.0.1'],
    ['https://0177.0.0.01/', '127.0.0.1'],
    ['https://0x7f.1/', '127.0.0.1'],
    ['https://0x7f.0x0.0x0.0x1/', '127.0.0.1'],
    ['https://0x7f000001/', '127.0.0.1'],
    ['https://127.0.0.1./', '127.0.0.1'],
    ['https://127。0。0。1/', '127.0.0.1'],
    ['https://１２７.０.０.１/', '127.0.0.1'],
    ['https://①②⑦.0.0.1/', '127.0.0.1'],
    ['https://%31%32%37.0.0.1/', '127.0.0.1'],
    ['https://0/', '0.0.0.0'],
    ['https://[::]/', '::'],
    ['https://[0000::1]/', '::1'],
    ['https://[::ffff:7f00:1]/', '::ffff:7f00:1'],
    ['https://[::ffff:127.0.0.1]/', '::ffff:7f00:1'],
    ['https://[::127.0.0.1]/', '::7f00:1'],
    ['https://[64:ff9b::127.0.0.1]/', '64:ff9b::7f00:1'],
    ['https://[fe80::1]/', 'fe80::1'],
    ['https://[fec0::1]/', 'fec0::1'],
    ['https://localhost/', 'localhost'],
    ['https://LOCALHOST/', 'localhost'],
    ['https://localhost./', 'localhost'],
    ['https://ｌｏｃａｌｈｏｓｔ/', 'localhost'],
    ['https://app.localhost/', 'app.localhost'],
    ['https://user:pw@127.0.0.1/', '127.0.0.1'],
    ['https://127.0.0.1#@example.com/', '127.0.0.1'],
    ['https://example.com@127.0.0.1/', '127.0.0.1'],
    ['https://127.0.0.1\\@example.com/', '127.0.0.1'],
    ['https://169.254.169.254/latest/meta-data/', '169.254.169.254'],
    ['https://0xa9fea9fe/', '169.254.169.254'],
    ['https://[fd00:ec2::254]/', 'fd00:ec2::254'],
    ['https://100.100.100.200/', '100.100.100.200'],
    ['https://10.0.0.1/', '10.0.0.1'],
    ['https://100.64.0.1/', '100.64.0.1'],
    ['https://192.0.0.1/', '192.0.0.1'],
    ['https://255.255.255.255/', '255.255.255.255'],
    ['http://10.0.0.1:22/', '10.0.0.1'],
  ])('%s, for its address', (url, address) => {
    expect(why(url)?.startsWith(`address ${address} is `), `${why(url)}`).toBe(true);
  });

  test.each([
    ['', 'the address is not a URL'],
    ['example.com', 'the address is not a URL'],
    ['https://', 'the address is not a URL'],
    ['https://1.2.3.4.5/', 'the address is not a URL'],
    ['https://256.0.0.1/', 'the address is not a URL'],
    ['https://[fe80::1%25eth0]/', 'the address is not a URL'],
    ['https://exa mple.com/', 'the address is not a URL'],
    [`https://example.com/${'a'.repeat(2_048)}`, 'the address is longer than 2048 characters'],
    ['http://example.com/', 'the address must begin with https://'],
    ['ftp://example.com/', 'the address must begin with https://'],
    ['file:///etc/passwd', 'the address must begin with https://'],
    ['javascript:alert(1)', 'the address must begin with https://'],
    ['https://user@example.com/', 'the address must not hold a user name or password'],
    ['https://:pw@example.com/', 'the address must not hold a user name or password'],
    ['https://example.com:22/', 'port 22 is not allowed; 443 and those above 1023 are'],
    ['https://example.com:80/', 'port 80 is not allowed; 443 and those above 1023 are'],
    ['https://example.com:1023/', 'port 1023 is not allowed; 443 and those above 1023 are'],
    ['https://example.com:0/', 'port 0 is not allowed; 443 and those above 1023 are'],
  ])('%j: %s', (url, reason) => {
    expect(why(url)).toBe(reason);
  });

  test.each([
    'http://169.254.169.254/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://0.0.0.0:9000/',
    'http://[::ffff:127.0.0.1]:9000/',
    'http://224.0.0.1/',
    'http://localhost:8080/',
    'http://127.0.0.2:8080/',
    'http://192.168.1.5:8080/',
    'http://localhost:22/',
    'http://user@localhost:9000/',
    'ftp://localhost/',
  ])('%s although private targets are allowed', (url) => {
    expect(why(url, lenient)).not.toBeNull();
  });
});
