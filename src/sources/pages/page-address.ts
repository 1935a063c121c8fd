// The URLs of pages: the operator's pattern with {code}, and the targets of redirects.
import { readTarget, type TargetRules } from '../../outbound/target-address.ts';

export type NextAddress = { url: URL } | { refused: string };

/** Throws with a sentence, which stops the start, if the pattern cannot be used. */
export function checkPattern(pattern: string): void {
  const allowed =
    'an http:// or https:// address of a product page, with {code} in its path or query';
  const refusal = (why: string) => new Error(`MARKETPLACE_URL ${why}; it must be ${allowed}.`);
  if (!pattern.includes('{code}')) throw refusal('has no {code}');
  const [one, other] = ['1', '22'].map((code) => URL.parse(pattern.replaceAll('{code}', code)));
  if (one == null || other == null || !/^https?:$/.test(one.protocol))
    throw refusal('is not an http URL');
  if (one.origin !== other.origin) throw refusal('has {code} in its host');
  if (one.username !== '' || one.password !== '') throw refusal('has a name or password in it');
  if (one.pathname + one.search === other.pathname + other.search) {
    throw refusal('has {code} only behind a #');
  }
}

export function addressOf(pattern: string, code: string): URL {
  const url = new URL(pattern.replaceAll('{code}', code));
  url.hash = '';
  return url;
}

/**
 * Whether a URL has the operator's own host: the origin of the pattern, or its https form on the
 * default ports. The token is sent only there, and only there the target is not checked.
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
 * The target of a redirect. The operator chose one host; any other is checked like a webhook's
 * target: the URL here, and the address it resolves to when connecting.
 */
export function nextAddress(
  from: URL,
  location: string | undefined,
  { home, rules }: { home: URL; rules: TargetRules },
): NextAddress {
  if (location === undefined) return { refused: 'a redirect without a Location header' };
  const url = URL.parse(location, from.href);
  if (url === null) return { refused: 'a redirect to an invalid URL' };
  url.hash = '';
  if (!/^https?:$/.test(url.protocol)) return { refused: `a redirect to ${url.protocol}` };
  if (url.username !== '' || url.password !== '') return { refused: 'a redirect with credentials' };
  if (isHome(url, home)) return { url };
  const target = readTarget(url.href, rules);
  return 'url' in target ? target : { refused: `a redirect to ${url.origin}: ${target.refused}` };
}
