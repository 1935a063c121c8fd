import { expect, test } from 'vitest';
import { parseRedisAddress } from './redis-address.ts';

test.each([
  ['redis://cache', { kind: 'server', url: 'redis://cache' }],
  ['rediss://:secret@cache:6380/2', { kind: 'server', url: 'rediss://:secret@cache:6380/2' }],
  [
    'redis+cluster://a:7000,b',
    {
      kind: 'cluster',
      nodes: [
        { host: 'a', port: 7000 },
        { host: 'b', port: 6379 },
      ],
      tls: false,
      login: {},
    },
  ],
  [
    'rediss+cluster://user:p%40ss%2C@[::1]:7000',
    {
      kind: 'cluster',
      nodes: [{ host: '::1', port: 7000 }],
      tls: true,
      login: { username: 'user', password: 'p@ss,' },
    },
  ],
])('%s is understood', (text, address) => {
  expect(parseRedisAddress(text)).toEqual(address);
});

test.each([
  '',
  'cache:6379',
  'http://cache',
  'redis://',
  'redis:///2',
  'redis://cache:port',
  'redis://user:%zz@cache',
  'redis+cluster://',
  'redis+cluster://a,,b',
  'redis+cluster://a:7000,b:port',
])('%j is not an address', (text) => {
  expect(parseRedisAddress(text)).toBeNull();
});
