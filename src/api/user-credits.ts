// GET /user/credits and GET /user/credits/ledger: an account's balance and its ledger entries.
import { Type } from 'typebox';
import { daysUntil } from '../credits/billing-period.ts';
import type { Charging } from '../credits/charge.ts';
import { ENTRY_KINDS } from '../credits/entry-kind.ts';
import { listEntries } from '../credits/ledger.ts';
import {
  type Balance,
  type LedgerEntry,
  remainingCredits,
  totalCredits,
} from '../credits/settlement.ts';
import type { Database } from '../database/database.ts';
import type { Clock } from '../foundation/clock.ts';
import { Problem } from '../foundation/problem.ts';
import { type Endpoint, endpoint } from './metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from './paging.ts';
import { DateTime, isoTime, nullable } from './wire.ts';

const CreditRecord = Type.Object(
  {
    user_email: Type.String({ format: 'email' }),
    credits: Type.Object(
      {
        total: Type.Integer({
          description: 'The monthly allocation plus the grants of the current period.',
        }),
        used_this_month: Type.Integer(),
        remaining: Type.Integer(),
        usage_percentage: Type.Integer({ minimum: 0, maximum: 100 }),
      },
      { title: 'CreditBalance' },
    ),
    billing_period: Type.Object(
      {
        current_period_start: DateTime('When the current period began'),
        next_refresh_date: DateTime('When the credits refresh'),
        days_until_refresh: Type.Integer({ minimum: 0 }),
      },
      { title: 'BillingPeriod' },
    ),
    account_info: Type.Object(
      {
        created_at: DateTime('When the account was created'),
        last_updated: DateTime('When the ledger or the plan last changed'),
      },
      { title: 'AccountInfo' },
    ),
  },
  { title: 'Credits' },
);

export const LedgerRecord = Type.Object(
  {
    id: Type.String(),
    at: DateTime('When the entry was booked'),
    kind: Type.Union(ENTRY_KINDS.map((kind) => Type.Literal(kind))),
    credits: Type.Integer({ description: 'Negative when charged.' }),
    operation: nullable(Type.String()),
    retailer_product_code: nullable(Type.String()),
    reference: Type.String({ description: 'Unique per booking.' }),
  },
  { title: 'LedgerEntry' },
);

type Deps = { db: Database; charging: Charging; clock: Clock };

export function userCredits(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: '/user/credits',
    operation: 'user-credits',
    operationId: 'account.getCredits',
    tag: 'Account',
    summary: 'Get credits and billing period',
    bucket: 'account',
    responses: { 200: CreditRecord },
    errors: [404],
    async respond({ caller }) {
      const balance = await deps.charging.freshBalance(caller.account.accountId);
      if (balance === undefined) {
        throw new Problem(
          'plan_missing',
          'Credit information is not available: this account has no plan.',
        );
      }
      return { json: creditRecord(balance, caller.account, deps.clock.nowMs()) };
    },
  });
}

function creditRecord(
  balance: Balance,
  account: { email: string; createdAtMs: number },
  nowMs: number,
): unknown {
  const total = totalCredits(balance);
  return {
    user_email: account.email,
    credits: {
      total,
      used_this_month: balance.used,
      remaining: remainingCredits(balance),
      usage_percentage: total === 0 ? 0 : Math.floor((balance.used * 100) / total),
    },
    billing_period: {
      current_period_start: isoTime(balance.periodStartAtMs),
      next_refresh_date: isoTime(balance.periodEndAtMs),
      days_until_refresh: daysUntil(balance.periodEndAtMs, nowMs),
    },
    account_info: {
      created_at: isoTime(account.createdAtMs),
      last_updated: isoTime(balance.updatedAtMs),
    },
  };
}

const LEDGER_PATH = '/user/credits/ledger';

export function userCreditsLedger(deps: Deps): Endpoint {
  return endpoint({
    method: 'GET',
    path: LEDGER_PATH,
    operation: 'user-credits-ledger',
    operationId: 'account.listLedgerEntries',
    tag: 'Account',
    summary: 'List ledger entries, newest first',
    description:
      '`used_this_month` equals the charges minus the refunds since `current_period_start`. Costs no credits.',
    bucket: 'account',
    query: Type.Object(PageQuery),
    responses: { 200: Type.Array(LedgerRecord) },
    list: { record: LedgerRecord },
    async respond({ caller, query }) {
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      const { accountId } = caller.account;
      // Reading the balance refreshes an ended period, so that its entry is in the list.
      await deps.charging.freshBalance(accountId);
      const before = query.after === undefined ? undefined : readCursor(query.after);
      const entries = await listEntries(deps.db, { accountId, before, limit: limit + 1 });
      const first = firstPage(entries, limit);
      return {
        json: first.page.map(ledgerRecord),
        ...nextPage(first, { path: LEDGER_PATH, limit, positionOf: (entry) => entry }),
      };
    },
  });
}

export const ledgerRecord = (entry: LedgerEntry) => ({
  id: entry.id,
  at: isoTime(entry.atMs),
  kind: entry.kind,
  credits: entry.credits,
  operation: entry.operation,
  retailer_product_code: entry.productCode,
  reference: entry.reference,
});
