// Where pages are: the address with {code} that the operator set, and where an answer may send us.
import { readTarget, type TargetRules } from '../../outbound/target-address.ts';

export type NextAddress = { url: URL } | { refused: string };

/** Stops the start with a sentence when the pattern cannot be used. */
export function checkPattern(pattern: string): void {
  const allowed =
    'an http:// or https:// address of a product page, with {code} in its path or query';
  const refuse = (why: string) => new Error(`MARKETPLACE_URL ${why}; it must be ${allowed}.`);
  if (!pattern.includes('{code}')) throw refuse('has no {code}');
  const [one, other] = ['1', '22'].map((code) => URL.parse(pattern.replaceAll('{code}', code)));
  if (one == null || other == null || !/^https?:$/.test(one.protocol))
    throw refuse('is no address');
  if (one.origin !== other.origin) throw refuse('has {code} in its host');
  if (one.username !== '' || one.password !== '') throw refuse('has a name or password in it');
  if (one.pathname + one.search === other.pathname + other.search) {
    throw refuse('has {code} only behind a #');
  }
}

export function addressOf(pattern: string, code: string): URL {
  const url = new URL(pattern.replaceAll('{code}', code));
  url.hash = '';
  return url;
}

/**
 * Whether an address is the operator's own choice: of the same origin as the pattern, or its https on the usual ports.
 * Only there the token goes, and only there nothing is asked about the address.
 */
export function isHome(url: URL, home: URL): boolean {
  const isUpgrade =
    url.hostname === home.hostname &&
    home.protocol === 'http:' &&
    url.protocol === 'https:' &&
    home.port === '' &&
    url.port === '';
  return url.origin === home.origin || isUpgrade;
}

/**
 * Where a redirect leads. The operator chose a host, not whatever it may point to: anywhere else is judged as a
 * webhook's target is, the address by its text here and by what it resolves to at the connect.
 */
export function nextAddress(
  from: URL,
  location: string | undefined,
  { home, rules }: { home: URL; rules: TargetRules },
): NextAddress {
  if (location === undefined) return { refused: 'a redirect to nowhere' };
  const url = URL.parse(location, from.href);
  if (url === null) return { refused: 'a redirect to no address' };
  url.hash = '';
  if (!/^https?:$/.test(url.protocol)) return { refused: `a redirect to ${url.protocol}` };
  if (url.username !== '' || url.password !== '') return { refused: 'a redirect with credentials' };
  if (isHome(url, home)) return { url };
  const target = readTarget(url.href, rules);
  return 'url' in target ? target : { refused: `a redirect to ${url.origin}: ${target.refused}` };
}
