// GET /session/costs and GET /session/period-check: what the credits were spent on, and whether the
// entries of the period add up to the balance, both read at one instant.
import { Type } from 'typebox';
import { readProducts } from '../../catalog/products.ts';
import type { Charging } from '../../credits/charge.ts';
import { readBalances, readDailyUse, readProductCosts } from '../../credits/ledger.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import { DAY_MS } from '../../foundation/time.ts';
import { readTrackedCodes } from '../../tracking/tracked-products.ts';
import type { TakeTurn } from '../heavy-requests.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { isoTime, nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

type Deps = { db: Database; charging: Charging; clock: Clock };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

const DAYS_MAX = 31;
/** Products whose tags are read; what the others cost is in no tag. */
const TAGGED_MAX = 10_000;
const TAGS_READ_AT_ONCE = 1_000;
const SHOWN_MAX = 20;

const Credits = Type.Integer();

export function costsEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/costs`,
    operation: 'session-costs',
    operationId: 'session.getCosts',
    summary: 'Credits spent by product and by tag',
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: DAYS_MAX, default: 30, description: '1 to 31 days' }),
      ),
    }),
    responses: {
      200: Type.Object(
        {
          from: Type.String({ format: 'date' }),
          to: Type.String({ format: 'date', description: 'Today (UTC), inclusive.' }),
          total: Credits,
          products: Type.Array(
            Type.Object(
              {
                retailer_product_code: Type.String(),
                product_name: nullable(Type.String()),
                credits: Credits,
              },
              { title: 'ProductCost' },
            ),
            { description: `The ${SHOWN_MAX} most expensive.` },
          ),
          tags: Type.Array(
            Type.Object({ tag: Type.String(), credits: Credits }, { title: 'TagCost' }),
            { description: 'By the tags that tracked products have now; a product may have many.' },
          ),
        },
        { title: 'Costs' },
      ),
    },
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { accountId } = caller.account;
      const toAtMs = (Math.floor(deps.clock.nowMs() / DAY_MS) + 1) * DAY_MS;
      const fromAtMs = toAtMs - (query.days ?? 30) * DAY_MS;
      const span = { accountId, fromAtMs, toAtMs };
      const used = await takeTurn(() => readDailyUse(deps.db, span));
      const costs = await takeTurn(() => readProductCosts(deps.db, { ...span, limit: TAGGED_MAX }));
      const shown = costs.slice(0, SHOWN_MAX);
      const names = await readProducts(
        deps.db,
        shown.map(({ code }) => code),
      );
      return {
        json: {
          from: isoTime(fromAtMs).slice(0, 10),
          to: isoTime(toAtMs - 1).slice(0, 10),
          total: used.reduce((sum, { credits }) => sum + credits, 0),
          products: shown.map(({ code, credits }) => ({
            retailer_product_code: code,
            product_name: names.get(code)?.name ?? null,
            credits,
          })),
          tags: await costsByTag({ ...deps, takeTurn }, accountId, costs),
        },
      };
    },
  });
}

async function costsByTag(
  deps: Deps & { takeTurn: TakeTurn },
  accountId: string,
  costs: readonly { code: string; credits: number }[],
): Promise<{ tag: string; credits: number }[]> {
  const byTag = new Map<string, number>();
  for (let start = 0; start < costs.length; start += TAGS_READ_AT_ONCE) {
    const part = costs.slice(start, start + TAGS_READ_AT_ONCE);
    const creditsOf = new Map(part.map(({ code, credits }) => [code, credits]));
    const tracked = await deps.takeTurn(() =>
      readTrackedCodes(deps.db, { accountId, codes: [...creditsOf.keys()] }),
    );
    for (const { code, tags } of tracked) {
      for (const tag of tags) byTag.set(tag, (byTag.get(tag) ?? 0) + (creditsOf.get(code) ?? 0));
    }
  }
  return [...byTag]
    .map(([tag, credits]) => ({ tag, credits }))
    .sort((a, b) => b.credits - a.credits || (a.tag < b.tag ? -1 : 1))
    .slice(0, SHOWN_MAX);
}

/** A charge between the two readings shows as a changed balance. */
const ROUNDS_MAX = 5;

export function periodCheckEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/period-check`,
    operation: 'session-period-check',
    operationId: 'session.checkPeriod',
    summary: 'Whether the entries of this period add up to the balance',
    responses: {
      200: Type.Object(
        {
          used: Credits,
          sum_of_entries: nullable(
            Type.Integer({ description: 'null while credits are being charged: try again.' }),
          ),
        },
        { title: 'PeriodCheck' },
      ),
    },
    heavy: () => true,
    async respond({ caller, takeTurn }) {
      const { accountId } = caller.account;
      await deps.charging.freshBalance(accountId);
      let used = 0;
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const before = (await readBalances(deps.db, [accountId])).get(accountId);
        if (before === undefined) return { json: { used: 0, sum_of_entries: 0 } };
        const span = {
          accountId,
          fromAtMs: before.periodStartAtMs,
          toAtMs: before.periodEndAtMs,
        };
        const days = await takeTurn(() => readDailyUse(deps.db, span));
        const after = (await readBalances(deps.db, [accountId])).get(accountId);
        used = after?.used ?? 0;
        if (after?.used !== before.used || after.updatedAtMs !== before.updatedAtMs) continue;
        const sum = days.reduce((total, { credits }) => total + credits, 0);
        return { json: { used, sum_of_entries: sum } };
      }
      return { json: { used, sum_of_entries: null } };
    },
  });
}
