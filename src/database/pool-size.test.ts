import { expect, test } from 'vitest';
import { bounds } from '../foundation/bounds.ts';
import { poolSizes } from './pool-size.ts';

test.each([
  ['all', { hot: 5, heavy: 4, background: 3 }],
  ['api', { hot: 6, heavy: 4, background: 2 }],
  ['worker', { hot: 2, heavy: 2, background: 8 }],
] as const)('by default %s divides its connections as %j', (role, sizes) => {
  expect(poolSizes(role, bounds.databaseConnectionsDefault)).toEqual(sizes);
});

test('every pool has two connections or more, and no size exceeds the setting', () => {
  for (const role of ['all', 'api', 'worker'] as const) {
    for (let connections = bounds.databaseConnectionsMin; connections <= 200; connections++) {
      const sizes = Object.values(poolSizes(role, connections));
      expect(Math.min(...sizes)).toBeGreaterThanOrEqual(2);
      expect(sizes.reduce((sum, size) => sum + size)).toBe(connections);
    }
  }
});
