// The server's errors about a webhook, as shown beside the fields.
import { describe, expect, it } from 'vitest';
import { ApiProblem } from '../app/api-problem.ts';
import { webhookErrorOf } from './webhook-error.ts';

const rejected = (status: number, body: Record<string, unknown>) =>
  webhookErrorOf(new ApiProblem(status, { message: 'The message.', ...body }));

describe('an error of a webhook', () => {
  it.each([
    ['webhook_target_private', 'This address is private'],
    ['webhook_target_unresolvable', 'The host name leads to no public address'],
    ['webhook_url_invalid', 'The message.'],
  ])('%s is shown beside the URL', (code, text) => {
    const error = rejected(400, { code, field: 'url' });
    expect(error).toEqual({ field: 'url', text: expect.stringContaining(text) });
  });

  it('is shown beside the first part of its field', () => {
    expect(rejected(400, { code: 'parameter_invalid', field: 'events.1' }).field).toBe('events');
  });

  it('without a field of the form belongs to the whole form', () => {
    const whole = { field: null, text: 'The message.' };
    expect(rejected(409, { code: 'webhook_limit_reached' })).toEqual(whole);
    expect(rejected(400, { code: 'parameter_invalid', field: 'method' })).toEqual(whole);
  });
});
