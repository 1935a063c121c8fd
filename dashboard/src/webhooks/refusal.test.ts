// The server's messages about a webhook, as shown beside the fields.
import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import { refusalOf } from './refusal.ts';

const refused = (message: string, status = 400) => refusalOf(new ApiProblem(status, { message }));

describe('a refusal', () => {
  it('of the target stands beside the URL, with what to do', () => {
    expect(
      refused(
        "Body member url cannot be a webhook's target: address 10.0.0.1 is private and not allowed.",
      ),
    ).toEqual({
      field: 'url',
      text: 'Cannot be called: address 10.0.0.1 is private and not allowed. Use an address that the whole internet can reach.',
    });
  });

  it('says nothing more where the reason is enough', () => {
    expect(
      refused(
        "Body member url cannot be a webhook's target: the address must begin with https://.",
      ),
    ).toEqual({ field: 'url', text: 'Cannot be called: the address must begin with https://.' });
  });

  it('of a form says what is needed, not what was given', () => {
    expect(
      refused('Body member name must be a name of 1 to 200 characters, not only spaces; got "  ".'),
    ).toEqual({ field: 'name', text: 'Needed: a name of 1 to 200 characters, not only spaces.' });
  });

  it('of anything else belongs to the whole form', () => {
    const message = 'An account has at most 20 webhooks.';
    expect(refused(message, 409)).toEqual({ field: null, text: message });
  });
});
