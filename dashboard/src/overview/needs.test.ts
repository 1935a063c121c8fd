import { describe, expect, test } from 'vitest';
import { creditNeed, webhookNeeds } from './needs.ts';

const webhook = { id: '1', name: 'Orders', status: 'Active', paused_reason: null } as const;

describe('a webhook needs the customer', () => {
  test('when it is paused or failing, the critical ones first', () => {
    const needs = webhookNeeds([
      { ...webhook, success_rate: 100 },
      { ...webhook, id: '2', status: 'Paused', success_rate: null },
      { ...webhook, id: '3', success_rate: 42 },
      { ...webhook, id: '4', status: 'Paused', paused_reason: 'status 500', success_rate: 0 },
      { ...webhook, id: '5', success_rate: null },
    ]);
    expect(needs.map(({ key, tone }) => [key, tone])).toEqual([
      ['3', 'critical'],
      ['4', 'critical'],
      ['2', 'caution'],
    ]);
    expect(needs[1]?.detail).toBe('Status 500. Events are recorded but not sent.');
  });
});

describe('credits need the customer', () => {
  const plenty = { remaining: 900, total: 1_000, refreshDay: '1 December', runsOut: null };
  test.each([
    [{ ...plenty, remaining: 0 }, 'No credits left'],
    [{ ...plenty, runsOut: 'on 20 November' }, 'Credits run out on 20 November'],
    [{ ...plenty, remaining: 150 }, '15 % of your credits left'],
    [plenty, undefined],
    [{ ...plenty, remaining: 0, total: 0 }, 'No credits left'],
  ])('%j: %s', (input, title) => {
    expect(creditNeed(input)?.title).toBe(title);
  });
});
