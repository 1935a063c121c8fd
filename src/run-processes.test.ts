import { expect, test } from 'vitest';
import { rolesOf } from './run-processes.ts';

test.each([
  ['all', 2, 'api worker'],
  ['all', 4, 'api api api worker'],
  ['all', 8, 'api api api api api api worker worker'],
  ['api', 3, 'api api api'],
  ['worker', 2, 'worker worker'],
] as const)('%s with %i processes is %s', (role, processes, roles) => {
  expect(rolesOf(role, processes).join(' ')).toBe(roles);
});
