// Which URL patterns an operator may set, and which redirects are followed.
import { describe, expect, test } from 'vitest';
import { addressOf, checkPattern, nextAddress } from './page-address.ts';

describe('a URL pattern', () => {
  test.each([
    'https://shop.test/ip/{code}',
    'http://127.0.0.1:8080/p?id={code}&x=1',
    'https://shop.test/{code}/{code}.html#top',
  ])('%s is accepted', (pattern) => {
    expect(() => checkPattern(pattern)).not.toThrow();
  });

  test.each<[string, RegExp]>([
    ['https://shop.test/ip/', /no \{code\}/],
    ['https://{code}.shop.test/', /not an http URL|in its host/],
    ['https://shop{code}.test/', /in its host/],
    ['ftp://shop.test/{code}', /not an http URL/],
    ['shop.test/{code}', /not an http URL/],
    ['https://me:secret@shop.test/{code}', /name or password/],
    ['https://shop.test/#{code}', /behind a #/],
  ])('%s stops the start', (pattern, reason) => {
    expect(() => checkPattern(pattern)).toThrow(reason);
    expect(() => checkPattern(pattern)).toThrow(/^MARKETPLACE_URL/);
  });

  test('may have the code anywhere, also twice', () => {
    expect(addressOf('https://shop.test/{code}/{code}.html#top', '77').href).toBe(
      'https://shop.test/77/77.html',
    );
  });
});

describe('a redirect', () => {
  const rules = {
    allowPrivateTargets: false,
    service: { addresses: ['93.184.215.15'], port: 8080 },
  };
  const next = (from: string, location: string | undefined) =>
    nextAddress(new URL(from), location, { home: new URL('/{code}', from), rules });

  test.each<[string, string, string]>([
    ['https://shop.test/ip/1', '/ip/kettle/1#x', 'https://shop.test/ip/kettle/1'],
    ['https://shop.test/ip/1', 'https://shop.test/x', 'https://shop.test/x'],
    ['http://shop.test/ip/1', 'https://shop.test/ip/1', 'https://shop.test/ip/1'],
    ['http://shop.test:81/ip/1', 'x', 'http://shop.test:81/ip/x'],
    ['http://10.0.0.9/ip/1', '/x', 'http://10.0.0.9/x'],
    ['https://shop.test/ip/1', 'https://www.shop.test/ip/1', 'https://www.shop.test/ip/1'],
    ['https://shop.test/ip/1', '//cdn.test/1', 'https://cdn.test/1'],
    ['https://shop.test/ip/1', 'https://shop.test:8443/', 'https://shop.test:8443/'],
    ['http://shop.test:81/', 'https://shop.test/', 'https://shop.test/'],
  ])('from %s to %s is followed', (from, location, to) => {
    expect(next(from, location)).toEqual({ url: new URL(to) });
  });

  test.each<[string, string | undefined, RegExp]>([
    ['https://shop.test/', undefined, /without a Location/],
    ['https://shop.test/', 'https://[', /invalid URL/],
    ['https://shop.test/', 'file:///etc/passwd', /file:/],
    ['https://shop.test/', 'http://shop.test/', /http:\/\/shop\.test: .*must begin with https/],
    ['https://shop.test/', 'http://www.shop.test/', /must begin with https/],
    ['http://shop.test/', 'http://shop.test:81/', /must begin with https/],
    ['https://shop.test/', 'https://shop.test:22/', /port 22/],
    ['https://shop.test/', 'https://me@shop.test/', /credentials/],
    ['https://shop.test/', 'http://169.254.169.254/', /metadata/],
    ['https://shop.test/', 'https://127.0.0.1:8443/', /loopback/],
    ['https://shop.test/', 'https://localhost/', /loopback/],
    ['https://shop.test/', 'https://[::ffff:10.0.0.1]/', /not allowed/],
    ['https://10.0.0.9/', 'https://10.0.0.10/', /private/],
    ['https://10.0.0.9/', 'https://10.0.0.9:8443/', /private/],
    ['https://shop.test/', 'https://93.184.215.15/', /own/],
  ])('from %s to %s is refused', (from, location, reason) => {
    expect(next(from, location)).toEqual({ refused: expect.stringMatching(reason) });
  });
});
