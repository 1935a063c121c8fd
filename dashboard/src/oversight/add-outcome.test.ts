// How the server's answers become a result for each pasted code.
import { expect, test } from 'vitest';
import { ApiProblem } from '../api-problem.ts';
import { type AddState, outcomeOfAnswer, outcomeOfError, summaryOf } from './add-outcome.ts';

test.each<[string, number, Record<string, unknown>, AddState]>([
  ['an unknown product', 404, { message: 'No such product.' }, 'not-found'],
  ['the limit of the plan', 409, { message: 'All in use.', tracked_products_max: 50 }, 'limit'],
  ['another tier', 409, { message: 'Tracked already.', id: 'x', tier: 2 }, 'tracked'],
  ['any other conflict', 409, { message: 'Something else.' }, 'refused'],
  ['a source that fails', 503, { message: 'The marketplace does not answer.' }, 'refused'],
])('%s', (_, status, body, state) => {
  expect(outcomeOfError(new ApiProblem(status, body)).state).toBe(state);
});

test('a refusal carries the server’s sentence', () => {
  const problem = new ApiProblem(503, { message: 'The marketplace does not answer.' });
  expect(outcomeOfError(problem).detail).toBe('The marketplace does not answer.');
});

test('a record older than the adding was there already', () => {
  const begunAtMs = Date.parse('2026-11-15T08:00:00Z');
  expect(outcomeOfAnswer('2026-11-15T08:00:01Z', begunAtMs).state).toBe('added');
  expect(outcomeOfAnswer('2026-11-14T08:00:00Z', begunAtMs).state).toBe('tracked');
});

test('the summary names only what occurred, in a fixed order', () => {
  const line = (state: AddState) => ({ code: '1', line: 1, detail: null, state });
  expect(summaryOf([line('limit'), line('added'), line('added'), line('waiting')])).toBe(
    '2 added, 1 over the limit.',
  );
  expect(summaryOf([line('waiting')])).toBe('Nothing sent yet.');
});
