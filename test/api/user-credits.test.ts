// GET /user/credits and the ledger.
import { describe, expect, test } from 'vitest';
import { closeAccount } from '../../src/closing/close-account.ts';
import { changePlan } from '../../src/credits/change-plan.ts';
import { grantCredits } from '../../src/credits/grant-credits.ts';
import { manualClock } from '../../src/foundation/clock.ts';
import { DAY_MS } from '../../src/foundation/time.ts';
import { startService } from '../support/service.ts';

const clock = manualClock(Date.parse('2026-01-31T10:30:00.000Z'));
const service = await startService({ clock });
const details = `/retailer/product/details?retailer_product_code=${service.products[0]?.code}`;

describe('200', () => {
  test('the record is exactly the spec’s', async () => {
    clock.setMs(Date.parse('2026-01-31T10:30:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    clock.advanceMs(60_000);
    await service.get(customer, details);
    const reply = await service.get(customer, '/user/credits');
    expect(reply.status).toBe(200);
    expect(reply.body).toEqual({
      user_email: customer.email,
      credits: { total: 1000, used_this_month: 1, remaining: 999, usage_percentage: 0 },
      billing_period: {
        current_period_start: '2026-01-31T10:30:00.000Z',
        next_refresh_date: '2026-02-28T10:30:00.000Z',
        days_until_refresh: 28,
      },
      account_info: {
        created_at: '2026-01-31T10:30:00.000Z',
        last_updated: '2026-01-31T10:31:00.000Z',
      },
    });
    expect(reply.headers['x-credits-charged']).toBe('0');
    expect(reply.headers['x-credits-remaining']).toBe('999');
  });

  test('reading after the boundary refreshes, on the anchor’s day again in a longer month', async () => {
    clock.setMs(Date.parse('2026-01-31T10:30:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    await service.get(customer, details);
    clock.setMs(Date.parse('2026-02-28T10:29:59.999Z'));
    expect((await service.get(customer, '/user/credits')).body.credits.used_this_month).toBe(1);
    clock.setMs(Date.parse('2026-02-28T10:30:00.000Z'));
    const { body } = await service.get(customer, '/user/credits');
    expect(body.credits).toMatchObject({ total: 1000, used_this_month: 0, remaining: 1000 });
    expect(body.billing_period).toMatchObject({
      current_period_start: '2026-02-28T10:30:00.000Z',
      next_refresh_date: '2026-03-31T10:30:00.000Z',
    });
  });

  test('after a year without requests there is one refresh, for the current period', async () => {
    clock.setMs(Date.parse('2026-01-31T10:30:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    clock.setMs(Date.parse('2027-03-05T00:00:00.000Z'));
    const { body } = await service.get(customer, '/user/credits');
    expect(body.billing_period.current_period_start).toBe('2027-02-28T10:30:00.000Z');
    const ledger = await service.get(customer, '/user/credits/ledger');
    expect(ledger.body.map((entry: { kind: string }) => entry.kind)).toEqual([
      'refresh',
      'refresh',
    ]);
  });

  test('an upgrade restarts the period at once, with its own anchor and nothing used', async () => {
    clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    clock.advanceMs(5 * DAY_MS);
    await service.get(customer, details);
    await changePlan(service.app, { accountId: customer.accountId, plan: 'pro' });
    const { body } = await service.get(customer, '/user/credits');
    expect(body.credits).toMatchObject({ total: 250_000, used_this_month: 0 });
    // One millisecond after the last entry of the old period, so that none counts in the new one.
    expect(body.billing_period.current_period_start).toBe('2026-05-15T08:00:00.001Z');
    expect(body.billing_period.next_refresh_date).toBe('2026-06-15T08:00:00.001Z');
  });

  test('a downgrade takes effect at the next refresh', async () => {
    clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Pro', perSecond: 1000 });
    await changePlan(service.app, { accountId: customer.accountId, plan: 'Free' });
    expect((await service.get(customer, '/user/credits')).body.credits.total).toBe(250_000);
    clock.setMs(Date.parse('2026-06-10T08:00:00.000Z'));
    expect((await service.get(customer, '/user/credits')).body.credits.total).toBe(1000);
  });

  test('grants add to the total and expire with the period', async () => {
    clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    const { accountId } = customer;
    await grantCredits(service.app, { accountId, credits: 500, reason: 'sorry' });
    expect((await service.get(customer, '/user/credits')).body.credits).toMatchObject({
      total: 1500,
      remaining: 1500,
    });
    clock.setMs(Date.parse('2026-06-10T08:00:00.000Z'));
    expect((await service.get(customer, '/user/credits')).body.credits.total).toBe(1000);
  });
});

describe('the ledger', () => {
  test('adds up exactly to used_this_month, over pages, and names the requests', async () => {
    clock.setMs(Date.parse('2026-05-10T08:00:00.000Z'));
    const customer = await service.newCustomer({ plan: 'Free', perSecond: 1000 });
    for (let count = 0; count < 25; count++) {
      clock.advanceMs(count % 3);
      await service.get(customer, details);
    }
    const entries = [];
    let url: string | undefined = '/user/credits/ledger?limit=7';
    while (url !== undefined) {
      const page = await service.get(customer, url);
      expect(page.status).toBe(200);
      expect(page.body.length).toBeLessThanOrEqual(7);
      entries.push(...page.body);
      url = /<([^>]+)>; rel="next"/.exec(String(page.headers.link))?.[1];
    }
    expect(new Set(entries.map((entry) => entry.id)).size).toBe(26);
    const times = entries.map((entry) => entry.at);
    expect(times).toEqual([...times].sort().reverse());
    const requests = entries.filter((entry) => entry.kind === 'request');
    expect(requests[0]).toMatchObject({
      credits: -1,
      operation: 'details',
      retailer_product_code: service.products[0]?.code,
    });
    const { body } = await service.get(customer, '/user/credits');
    const sum = -entries
      .filter((entry) => ['request', 'tracking', 'refund'].includes(entry.kind))
      .filter((entry) => entry.at >= body.billing_period.current_period_start)
      .reduce((total, entry) => total + entry.credits, 0);
    expect(sum).toBe(25);
    expect(body.credits.used_this_month).toBe(25);
  });

  test('contains only the account’s entries', async () => {
    const [one, other] = [await service.newCustomer(), await service.newCustomer()];
    await service.get(one, details);
    const ledger = await service.get(other, '/user/credits/ledger');
    expect(ledger.body.map((entry: { kind: string }) => entry.kind)).toEqual(['refresh']);
  });
});

describe('400', () => {
  test.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['after=nonsense', 'after'],
    [`after=${Buffer.from('[1e99,"x"]').toString('base64url')}`, 'after'],
    [`after=${Buffer.from('{"at":1}').toString('base64url')}`, 'after'],
  ])('%s is refused by the name of the parameter', async (query, name) => {
    const customer = await service.newCustomer();
    const reply = await service.get(customer, `/user/credits/ledger?${query}`);
    expect(reply.status).toBe(400);
    const code = query.startsWith('after') ? 'cursor_malformed' : 'parameter_invalid';
    expect(reply.body).toMatchObject({ error: 400, code, field: name });
    expect(reply.body.message).toContain(name);
  });
});

describe('404', () => {
  test('when the account is closed', async () => {
    const customer = await service.newCustomer();
    await closeAccount(service.app, customer.accountId);
    const reply = await service.get(customer, '/user/credits');
    expect(reply.status).toBe(404);
    expect(reply.body.error).toBe(404);
  });

  test('when the account has no plan', async () => {
    const customer = await service.newCustomer();
    await service.app.db.query('delete from balances where account_id = $1', [customer.accountId]);
    expect((await service.get(customer, '/user/credits')).status).toBe(404);
    expect((await service.get(customer, details)).status).toBe(402);
  });
});
