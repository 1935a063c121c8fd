// What observations leave to be carried over to accounts: written with the observation, taken away when the
// account's side has it.
import { plainArray, textArray } from '../database/array-parameter.ts';
import { type Connection, statement, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Tier } from './tier.ts';
import type { ServedState } from './watcher.ts';

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
  /** What the watcher was before a slot was served: a day that cannot be paid is taken back to it. */
  before: ServedState | null;
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
  before: string | null;
};

const INSERT = statement(
  'insert-outgoing',
  `insert into outgoing (lane, retailer_product_code, account_id, tracked_id, tier, day, at, kind, body,
                         before)
   select * from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::smallint[],
                        $6::integer[], $7::timestamptz[], $8::text[], $9::text[]::jsonb[], $10::text[])
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
    textArray(rows.map(({ before }) => (before === null ? null : JSON.stringify(before)))),
  ]);
}

/**
 * Some of them, held until the transaction ends; what another process holds is left to it. In the order of time for
 * each watcher: the first day that cannot be paid decides about all that was served after it.
 */
const CLAIM = statement(
  'claim-outgoing',
  `select kind, retailer_product_code, account_id, tracked_id, tier, day, at, body, before
     from outgoing where account_id <> all ($2::uuid[])
    order by lane, retailer_product_code, account_id, at
    limit $1 for update skip locked`,
);

export async function claimOutgoing(
  tx: Transaction,
  { limit, exceptAccounts }: { limit: number; exceptAccounts: readonly string[] },
): Promise<Outgoing[]> {
  const rows = await tx.query<OutgoingRow>(CLAIM, [limit, plainArray(exceptAccounts)]);
  return rows.map((row) => ({
    kind: row.kind,
    code: row.retailer_product_code,
    accountId: row.account_id,
    trackedId: row.tracked_id,
    tier: row.tier,
    day: row.day,
    at: row.at,
    body: row.body,
    before: beforeOf(row.before),
  }));
}

/** What is not JSON any more is nothing to go back to: one such row must not stop the others. */
function beforeOf(text: string | null): ServedState | null {
  try {
    return text === null ? null : JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Takes away what watchers were served from a slot on: it was taken back, and is neither paid nor told. What another
 * process holds is left to it: waiting for it here, under the places' locks, both could wait for each other.
 */
export async function deleteServedSince(
  tx: Transaction,
  slots: readonly Pick<Outgoing, 'code' | 'accountId' | 'trackedId' | 'at'>[],
): Promise<void> {
  if (slots.length === 0) return;
  await tx.query(
    `with gone as materialized (
       select o.lane, o.retailer_product_code, o.account_id, o.kind, o.at
         from unnest($1::smallint[], $2::text[], $3::uuid[], $4::uuid[], $5::timestamptz[])
                as slot(lane, code, account_id, tracked_id, at)
         join outgoing o
           on o.lane = slot.lane and o.retailer_product_code = slot.code
          and o.account_id = slot.account_id and o.tracked_id = slot.tracked_id
          and o.kind <> 'return' and o.at >= slot.at
          for update of o skip locked)
     delete from outgoing o using gone
      where o.lane = gone.lane and o.retailer_product_code = gone.retailer_product_code
        and o.account_id = gone.account_id and o.kind = gone.kind and o.at = gone.at`,
    [
      plainArray(slots.map(({ code }) => lane(code))),
      plainArray(slots.map(({ code }) => code)),
      plainArray(slots.map(({ accountId }) => accountId)),
      plainArray(slots.map(({ trackedId }) => trackedId)),
      plainArray(slots.map(({ at }) => isoTime(at))),
    ],
  );
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
