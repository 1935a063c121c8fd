// The `webhook_digests` table: the digest of each webhook that gathers events at the moment.
import { plainArray } from '../database/array-parameter.ts';
import { type Connection, inLanes, statement, type Transaction } from '../database/database.ts';
import { isoTime } from '../foundation/clock.ts';
import { idFrom } from '../foundation/id.ts';
import { type Digest, periodOf } from './digest-period.ts';
import { keyArrays, type WebhookKey } from './health-records.ts';

/** The last two are null while it has no events; `fromMs` is then the end of the one before. */
export type GatheringDigest = WebhookKey & {
  fromMs: number;
  endsAtMs: number | null;
  /** Its events were recorded after this. */
  afterMs: number | null;
};

export type OpenDigest = GatheringDigest & { endsAtMs: number; afterMs: number };

type DigestRow = {
  account_id: string;
  webhook_id: string;
  from_at: number;
  ends_at: number | null;
  after_at: number | null;
};

const COLUMNS = 'g.account_id, g.webhook_id, g.from_at, g.ends_at, g.after_at';

const fromRow = (row: DigestRow): GatheringDigest => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  fromMs: row.from_at,
  endsAtMs: row.ends_at,
  afterMs: row.after_at,
});

export const isOpen = (digest: GatheringDigest): digest is OpenDigest => digest.endsAtMs !== null;

/** The id of its delivery. Digests of a webhook never begin at the same time. */
export const digestIdOf = ({ webhookId, fromMs }: WebhookKey & { fromMs: number }): string =>
  idFrom('digest', webhookId, isoTime(fromMs));

/**
 * The digest that an event of this time goes out with: the open one, or the next. It begins where
 * the one before ended, also if this process's clock is behind.
 */
export function digestFor(
  key: WebhookKey,
  {
    digest,
    gathering,
    atMs,
  }: { digest: Digest; gathering: GatheringDigest | undefined; atMs: number },
): Omit<OpenDigest, 'afterMs'> {
  if (gathering !== undefined && isOpen(gathering)) return gathering;
  const earliestMs = gathering?.fromMs ?? 0;
  const { startMs, endMs } = periodOf(digest, Math.max(atMs, earliestMs));
  return { ...key, fromMs: Math.max(startMs, earliestMs), endsAtMs: endMs };
}

const READ = statement(
  'read-webhook-digests',
  `select ${COLUMNS}
     from unnest($1::smallint[], $2::uuid[], $3::uuid[]) as listed(lane, account_id, webhook_id)
     join webhook_digests g on g.lane = listed.lane and g.account_id = listed.account_id
      and g.webhook_id = listed.webhook_id and ${inLanes('g.lane', '$1')}`,
);

/** By webhook id. Those of webhooks whose health rows are not locked may change. */
export async function readDigests(
  db: Connection,
  keys: readonly WebhookKey[],
): Promise<Map<string, GatheringDigest>> {
  if (keys.length === 0) return new Map();
  const rows = await db.query<DigestRow>(READ, keyArrays(keys));
  return new Map(rows.map((row) => [row.webhook_id, fromRow(row)]));
}

const SAVE = statement(
  'save-webhook-digests',
  `insert into webhook_digests (lane, account_id, webhook_id, from_at, ends_at, after_at)
   select * from unnest($1::smallint[], $2::uuid[], $3::uuid[], $4::timestamptz[],
                        $5::timestamptz[], $6::timestamptz[])
   on conflict (lane, account_id, webhook_id) do update
      set from_at = excluded.from_at, ends_at = excluded.ends_at, after_at = excluded.after_at`,
);

/** The webhooks' health rows are locked. */
export async function saveDigests(
  tx: Transaction,
  digests: readonly GatheringDigest[],
): Promise<void> {
  if (digests.length === 0) return;
  const times = (all: readonly (number | null)[]) =>
    plainArray(all.map((atMs) => (atMs === null ? 'NULL' : isoTime(atMs))));
  await tx.query(SAVE, [
    ...keyArrays(digests),
    times(digests.map(({ fromMs }) => fromMs)),
    times(digests.map(({ endsAtMs }) => endsAtMs)),
    times(digests.map(({ afterMs }) => afterMs)),
  ]);
}

/** Webhooks of one lane group whose digest ended before a time and was not closed. */
export async function listOverdueDigests(
  db: Connection,
  input: { lanes: readonly number[]; beforeMs: number; except: readonly string[]; limit: number },
): Promise<WebhookKey[]> {
  const rows = await db.query<DigestRow>(
    `select ${COLUMNS} from webhook_digests g
      where ${inLanes('g.lane', '$1')} and g.ends_at < $2 and g.webhook_id <> all($3::uuid[])
      limit $4`,
    [plainArray(input.lanes), isoTime(input.beforeMs), plainArray(input.except), input.limit],
  );
  return rows.map(fromRow);
}
