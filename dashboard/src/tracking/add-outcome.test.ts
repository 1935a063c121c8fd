// How the server's responses become a result for each pasted code.
import { expect, test } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import {
  type AddState,
  ALREADY_TRACKED,
  linesOf,
  outcomeOfError,
  outcomeOfResult,
  summaryOf,
} from './add-outcome.ts';
import { readPastedCodes } from './pasted-codes.ts';

test.each<[string, number, Record<string, unknown>, AddState]>([
  ['an unknown product', 404, { code: 'product_not_found' }, 'not-found'],
  ['the limit of the plan', 409, { code: 'tracked_product_limit_reached' }, 'limit'],
  ['another tier', 409, { code: 'tracked_product_tier_conflict', tier: 2 }, 'tracked'],
  ['any other conflict', 409, { code: 'account_deletion_started' }, 'refused'],
  ['a closed account', 404, { code: 'account_closed' }, 'refused'],
  ['a source failure', 503, { code: 'source_unavailable' }, 'refused'],
])('%s', (_, status, body, state) => {
  expect(outcomeOfError(new ApiProblem(status, body), '500000001').state).toBe(state);
});

test('a rejection carries the server’s message', () => {
  const problem = new ApiProblem(503, { message: 'The marketplace does not respond.' });
  expect(outcomeOfError(problem, '500000001').detail).toBe('The marketplace does not respond.');
});

test.each([
  ['859159012347', 'Looks like a UPC'],
  ['4082701330811', 'Looks like an EAN'],
  ['500000001', 'No such product.'],
])('%s that is not found says: %s', (code, text) => {
  const problem = new ApiProblem(404, { code: 'product_not_found', message: 'No such product.' });
  expect(outcomeOfError(problem, code).detail).toContain(text);
});

test('every pasted word has a line, in the pasted order', () => {
  const { codes, problems } = readPastedCodes('code\n500000002 500000001\n500000002');
  const [first, ...rest] = codes;
  const tracked = {
    line: 2,
    position: first?.position ?? 0,
    text: '500000002',
    reason: ALREADY_TRACKED,
  };
  const lines = linesOf(rest, [...problems, tracked]);
  expect(lines.map(({ code, state, detail }) => [code, state, detail])).toEqual([
    ['code', 'left-out', 'Not a product code.'],
    ['500000002', 'tracked', null],
    ['500000001', 'waiting', null],
    ['500000002', 'left-out', 'Already in line 2.'],
  ]);
});

test('a result says whether the product was added, tracked already or refused', () => {
  expect(outcomeOfResult({ status: 201 }, '1').state).toBe('added');
  expect(outcomeOfResult({ status: 200 }, '1').state).toBe('tracked');
  const error = { code: 'product_not_found', message: 'No such product.' };
  expect(outcomeOfResult({ status: 404, error }, '500000001')).toEqual({
    state: 'not-found',
    detail: 'No such product.',
  });
});

test('the summary names only what occurred, in a fixed order', () => {
  const line = (state: AddState) => ({ code: '1', line: 1, position: 0, detail: null, state });
  expect(summaryOf([line('limit'), line('added'), line('added'), line('waiting')])).toBe(
    '2 added, 1 over the limit.',
  );
  expect(summaryOf([line('waiting')])).toBe('Nothing sent yet.');
});
