// Every table that holds rows of an account, and how they are exported and deleted. A test compares
// this list with the tables of the account family, so that a new table cannot be missed.
import { kindList, SHOWN_KIND, SPENDING_KINDS } from '../credits/entry-kind.ts';
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, type Database, inLanes, type Transaction } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { inEachGroup } from '../database/lane-groups.ts';
import { idFrom, newId } from '../foundation/id.ts';

/**
 * One file of the archive. $1 is the lane, $2 the account id. Never a secret, a hash or a token.
 */
export const EXPORTS: readonly { kind: string; sql: string }[] = [
  {
    kind: 'account',
    sql: `select account_id, email, seller_name, requests_per_second, created_at, closed_at, closed_by, delete_at
            from accounts where lane = $1 and account_id = $2`,
  },
  {
    kind: 'balance',
    sql: `select plan, next_plan, allocation, granted, used, anchor_at, period_start_at, period_end_at, updated_at
            from balances where lane = $1 and account_id = $2`,
  },
  {
    kind: 'people',
    sql: `select id, email, email_verified, name, created_at, updated_at from auth.users
           where $1::smallint is not null and account_id = $2 order by created_at, id`,
  },
  {
    kind: 'sessions',
    sql: `select s.id, s.user_id, s.ip_address, s.user_agent, s.created_at, s.updated_at, s.expires_at
            from auth.sessions s join auth.users u on u.id = s.user_id
           where $1::smallint is not null and u.account_id = $2 order by s.created_at, s.id`,
  },
  {
    kind: 'api_keys',
    sql: `select key_id as id, name, hint, created_at, last_used_at, revoked_at
            from api_keys where lane = $1 and account_id = $2 order by created_at, key_id`,
  },
  {
    kind: 'ledger',
    sql: `select at, id, ${SHOWN_KIND} as kind, credits, operation, retailer_product_code, reference
            from ledger_entries where lane = $1 and account_id = $2 order by at, id`,
  },
  {
    kind: 'usage',
    sql: `select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as "on", coalesce(operation, ${SHOWN_KIND}) as operation,
                 -sum(credits)::bigint as credits
            from ledger_entries
           where lane = $1 and account_id = $2 and kind in ${kindList(SPENDING_KINDS)}
           group by 1, 2 order by 1, 2`,
  },
  {
    kind: 'tracked_products',
    sql: `select tracked_id as id, retailer_product_code, tier, is_suspended, seller_name, rules, tags, metadata,
                 ends_at, created_at
            from tracked_products where lane = $1 and account_id = $2 and removed_at is null
           order by created_at, tracked_id`,
  },
  {
    kind: 'tracked_days',
    sql: `select retailer_product_code, to_char(date '1970-01-01' + day, 'YYYY-MM-DD') as "on", credits_charged,
                 is_returned
            from tracked_days where lane = $1 and account_id = $2 order by retailer_product_code, day`,
  },
  {
    kind: 'paid_spans',
    sql: `select retailer_product_code, tier, to_char(date '1970-01-01' + from_day, 'YYYY-MM-DD') as "from",
                 to_char(date '1970-01-01' + to_day, 'YYYY-MM-DD') as "to"
            from paid_spans where lane = $1 and account_id = $2 order by retailer_product_code, from_day`,
  },
  {
    kind: 'rules',
    sql: `select rule_id as id, name, tags, rules, condition, created_at
            from account_rules where lane = $1 and account_id = $2 order by created_at, rule_id`,
  },
  {
    kind: 'library',
    sql: `select entry_id as id, operation, retailer_product_code, parameters, bought_at, as_of, credits, encoding,
                 encode(body, 'base64') as body
            from library_entries where lane = $1 and account_id = $2 order by bought_at, entry_id`,
  },
  {
    kind: 'webhooks',
    sql: `select w.webhook_id as id, w.name, w.url, w.kinds, w.tags, w.quiet_hours, w.digest, w.created_at, s.status, s.paused_reason, s.failing_since,
                 s.last_delivery_at
            from webhooks w
            left join webhook_health s on s.lane = $1 and s.account_id = w.account_id
             and s.webhook_id = w.webhook_id
           where w.lane = $1 and w.account_id = $2 order by w.created_at, w.webhook_id`,
  },
  {
    kind: 'webhook_days',
    sql: `select webhook_id, to_char(date '1970-01-01' + day, 'YYYY-MM-DD') as "on", succeeded, failed
            from webhook_days where lane = $1 and account_id = $2 order by webhook_id, day`,
  },
  {
    kind: 'events',
    sql: `select event_id as id, at, recorded_at, kind, tracked_id, retailer_product_code, payload, explanation
            from events where lane = $1 and account_id = $2 order by at, event_id`,
  },
  {
    kind: 'deliveries',
    sql: `select delivery_id as id, webhook_id, event_id, kind, at, state, was_received, attempts, due_at, digest_id
            from deliveries where lane = $1 and account_id = $2 order by delivery_id, at`,
  },
  {
    kind: 'delivery_attempts',
    sql: `select attempt_id as id, delivery_id, webhook_id, event_id, kind, attempt, at, endpoint, outcome, status, reason,
                 duration_ms, payload_bytes, response_body
            from delivery_attempts where lane = $1 and account_id = $2 order by webhook_id, at, attempt_id`,
  },
];

/** Deleted by key, in batches and in this order: rows that refer to others go first. */
const DELETED_BY_KEY: readonly { table: string; key: string }[] = [
  { table: 'tracked_days', key: 'retailer_product_code, day' },
  { table: 'paid_spans', key: 'retailer_product_code, from_day' },
  { table: 'delivery_attempts', key: 'webhook_id, at, attempt_id' },
  { table: 'deliveries', key: 'delivery_id, at' },
  { table: 'events', key: 'at, event_id' },
  { table: 'library_entries', key: 'entry_id' },
  { table: 'account_rules', key: 'rule_id' },
  { table: 'api_keys', key: 'key_id' },
  { table: 'webhook_quotas', key: 'quota' },
];

/** Tables of the account family, and what happens to their rows when an account is deleted. */
export const HANDLED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(DELETED_BY_KEY.map(({ table }) => [table, 'deleted in parts'])),
  accounts: 'deleted last',
  balances: 'deleted first, so that nothing is booked any more',
  ledger_entries: 'kept under an anonymous id, so that the books still sum',
  tracked_products: 'removed as a customer would, so that the product’s side forgets them too',
  webhooks: 'removed as a customer would, so that what waits for them ends',
  webhook_health: 'deleted with its webhook',
  webhook_days: 'deleted with its webhook',
  webhook_digests: 'deleted with its webhook',
};

/** Deletes one batch of rows; returns how many. */
export async function deleteSome(
  db: Connection,
  input: { accountId: string; limit: number },
): Promise<number> {
  for (const { table, key } of DELETED_BY_KEY) {
    const rows = await db.query(
      `delete from ${table} d where d.lane = $1 and d.account_id = $2 and (${key}) in (
         select ${key} from ${table} s where s.lane = $1 and s.account_id = $2 limit $3)
       returning 1`,
      [lane(input.accountId), input.accountId, input.limit],
    );
    if (rows.length > 0) return rows.length;
  }
  return 0;
}

/** Rows elsewhere that refer to an account and have no key of it. */
export async function deletePointers(db: Database, accountId: string): Promise<void> {
  await inEachGroup(db, async (lanes) => {
    const values = [plainArray(lanes), accountId];
    const rows = (table: string) => `delete from ${table} r where ${inLanes('r.lane', '$1')}`;
    for (const table of ['api_key_hashes', 'outgoing', 'watch_spans', 'served_days']) {
      await db.query(`${rows(table)} and r.account_id = $2`, values);
    }
    await db.query(
      `${rows('quarantined_items')}
        and (r.owner = $2::text or r.item like '%' || $2::text || '%')`,
      values,
    );
  });
}

export async function deleteBalance(tx: Transaction, accountId: string): Promise<void> {
  await tx.query('delete from balances where lane = $1 and account_id = $2', [
    lane(accountId),
    accountId,
  ]);
}

type MovedRow = { at: string; id: string; kind: string; credits: number; operation: string | null };

/**
 * A new id in the lane of the account, so that one shard holds both and entries move within it.
 */
export function newAnonymousId(accountId: string): string {
  for (;;) {
    const id = newId();
    if (lane(id) === lane(accountId)) return id;
  }
}

/**
 * Moves one batch of ledger entries to the anonymous id, without product and reference; returns how
 * many.
 */
export async function anonymizeSome(
  tx: Transaction,
  input: { accountId: string; anonymousId: string; limit: number },
): Promise<number> {
  const { accountId, anonymousId } = input;
  const rows = await tx.query<MovedRow>(
    `select at::text as at, id, kind, credits, operation from ledger_entries
      where lane = $1 and account_id = $2 order by at, id limit $3 for update skip locked`,
    [lane(accountId), accountId, input.limit],
  );
  if (rows.length === 0) return 0;
  // New ids, because the old ones derive from the account id.
  const ids = rows.map((row) => idFrom('anonymous', anonymousId, row.id));
  await tx.query(
    `insert into ledger_entries (lane, account_id, at, id, kind, credits, operation, retailer_product_code, reference)
     select $1, $2, at, id, kind, credits, operation, null, 'deleted:' || id::text
       from unnest($3::timestamptz[], $4::uuid[], $5::text[], $6::bigint[], $7::text[])
              as entry(at, id, kind, credits, operation)
     on conflict do nothing`,
    [
      lane(anonymousId),
      anonymousId,
      rows.map(({ at }) => at),
      ids,
      rows.map(({ kind }) => kind),
      rows.map(({ credits }) => credits),
      rows.map(({ operation }) => operation),
    ],
  );
  await tx.query(
    `delete from ledger_entries l using unnest($3::timestamptz[], $4::uuid[]) as gone(at, id)
      where l.lane = $1 and l.account_id = $2 and l.at = gone.at and l.id = gone.id`,
    [lane(accountId), accountId, rows.map(({ at }) => at), rows.map(({ id }) => id)],
  );
  return rows.length;
}
