import { expect, test } from 'vitest';
import { asFailure, databaseAway } from './failure.ts';

test('only where nothing was done does the message say that nothing was charged', () => {
  const lost = new Error('Connection terminated unexpectedly');
  expect((asFailure(lost) as Error).message).toContain('may have been carried out');
  expect((asFailure(lost) as Error).message).not.toContain('Nothing was charged');
  expect(databaseAway(lost).message).toContain('Nothing was charged');
});
