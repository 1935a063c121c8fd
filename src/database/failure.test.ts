import { expect, test } from 'vitest';
import { asFailure, databaseAway } from './failure.ts';

test('the message says that nothing was charged only if nothing was done', () => {
  const lost = new Error('Connection terminated unexpectedly');
  expect((asFailure(lost) as Error).message).toContain('may have been carried out');
  expect((asFailure(lost) as Error).message).not.toContain('Nothing was charged');
  expect(databaseAway(lost).message).toContain('Nothing was charged');
});
