// Where pages are: the address with {code} that the operator set, and where an answer may send us.

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
 * A redirect is followed to the same host only: to the same origin, or from http to https on their usual
 * ports. The operator chose the host, not whatever it may point to, and the token is meant for it.
 */
export function nextAddress(from: URL, location: string | undefined): NextAddress {
  if (location === undefined) return { refused: 'a redirect to nowhere' };
  const url = URL.parse(location, from.href);
  if (url === null) return { refused: 'a redirect to no address' };
  url.hash = '';
  if (!/^https?:$/.test(url.protocol)) return { refused: `a redirect to ${url.protocol}` };
  if (url.username !== '' || url.password !== '') return { refused: 'a redirect with credentials' };
  const isUpgrade =
    url.hostname === from.hostname &&
    from.protocol === 'http:' &&
    url.protocol === 'https:' &&
    from.port === '' &&
    url.port === '';
  if (url.origin === from.origin || isUpgrade) return { url };
  return { refused: `a redirect to another host, ${url.origin}` };
}
