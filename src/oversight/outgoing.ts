// What observations leave to be carried over to accounts: written with the observation, taken away when the
// account's side has it.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { type Connection, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';

/**
 * served: a slot was served, and its day must be paid; delisted: only what changed is told; return: a day kept less
 * than half of its slots.
 */
export type OutgoingKind = 'served' | 'delisted' | 'return';

export type Outgoing = {
  kind: OutgoingKind;
  code: string;
  accountId: string;
  trackedId: string;
  tier: Tier;
  day: number;
  at: number;
  /** What changed, for the events; null when nothing did. */
  body: unknown;
};

type OutgoingRow = {
  kind: OutgoingKind;
  retailer_product_code: string;
  account_id: string;
  tracked_id: string;
  tier: Tier;
  day: number;
  at: number;
  body: unknown;
};

const INSERT = statement(
  'insert-outgoing',
  `insert into outgoing (lane, retailer_product_code, account_id, tracked_id, tier, day, at, kind, body)
   select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                        $6::integer[], $7::timestamptz[], $8::text[], $9::text[]::jsonb[])
   on conflict do nothing`,
);

export async function insertOutgoing(tx: Transaction, rows: readonly Outgoing[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query(INSERT, [
    plainArray(rows.map(({ code }) => lane(code))),
    plainArray(rows.map(({ code }) => code)),
    plainArray(rows.map(({ accountId }) => accountId)),
    plainArray(rows.map(({ trackedId }) => trackedId)),
    plainArray(rows.map(({ tier }) => tier)),
    plainArray(rows.map(({ day }) => day)),
    plainArray(rows.map(({ at }) => isoTime(at))),
    plainArray(rows.map(({ kind }) => kind)),
    textArray(rows.map(({ body }) => (body === null ? null : JSON.stringify(body)))),
  ]);
}

/** Some of them, held until the transaction ends; what another process holds is left to it. */
const CLAIM = statement(
  'claim-outgoing',
  `select kind, retailer_product_code, account_id, tracked_id, tier, day, at, body
     from outgoing order by lane, retailer_product_code, account_id
    limit $1 for update skip locked`,
);

export async function claimOutgoing(tx: Transaction, limit: number): Promise<Outgoing[]> {
  const rows = await tx.query<OutgoingRow>(CLAIM, [limit]);
  return rows.map((row) => ({
    kind: row.kind,
    code: row.retailer_product_code,
    accountId: row.account_id,
    trackedId: row.tracked_id,
    tier: row.tier,
    day: row.day,
    at: row.at,
    body: row.body,
  }));
}

/** Carried over: the account's side has them. */
export async function deleteOutgoing(db: Connection, rows: readonly Outgoing[]): Promise<void> {
  if (rows.length === 0) return;
  await db.query(
    `delete from outgoing o
      using unnest($1::smallint[], $2::text[], $3::uuid[], $4::text[], $5::timestamptz[])
              as gone(lane, code, account_id, kind, at)
      where o.lane = gone.lane and o.retailer_product_code = gone.code
        and o.account_id = gone.account_id and o.kind = gone.kind and o.at = gone.at`,
    [
      plainArray(rows.map(({ code }) => lane(code))),
      plainArray(rows.map(({ code }) => code)),
      plainArray(rows.map(({ accountId }) => accountId)),
      plainArray(rows.map(({ kind }) => kind)),
      plainArray(rows.map(({ at }) => isoTime(at))),
    ],
  );
}
