// The `library_entries` table: responses that an account bought in the dashboard. Bounded per
// account in number and bytes; the oldest go first.
import { type Connection, type Database, heavyStatement, statement } from '../database/database.ts';
import { lane } from '../database/families.ts';
import { deleteSomeOld } from '../database/old-rows.ts';
import { bounds } from '../foundation/bounds.ts';
import { isoTime } from '../foundation/clock.ts';
import type { Encoding } from '../foundation/compression.ts';
import { DAY_MS } from '../foundation/time.ts';
import type { Parameters } from './entry-key.ts';

export type LibraryRecord = {
  accountId: string;
  entryId: string;
  operation: string;
  /** null for a response that is not about one product. */
  productCode: string | null;
  parameters: Parameters;
  boughtAtMs: number;
  /** When the data was observed. */
  asOfMs: number;
  credits: number;
  /** The buybox price in the response, if it has one. */
  buyboxCents: number | null;
};

export type StoredBody = {
  bytes: Buffer;
  encoding: Encoding;
  headers: Readonly<Record<string, string>>;
};

/** Without a body the response was too large to store. */
export type LibraryEntry = LibraryRecord & { body: StoredBody | null };

type RecordRow = {
  account_id: string;
  entry_id: string;
  operation: string;
  retailer_product_code: string | null;
  parameters: Parameters;
  bought_at: number;
  as_of: number;
  credits: number;
  buybox_cents: number | null;
};
type EntryRow = RecordRow & {
  headers: Record<string, string> | null;
  body: Buffer | null;
  encoding: Encoding | null;
};

const RECORD_COLUMNS = `account_id, entry_id, operation, retailer_product_code, parameters,
  bought_at, as_of, credits, buybox_cents`;

const recordFromRow = (row: RecordRow): LibraryRecord => ({
  accountId: row.account_id,
  entryId: row.entry_id,
  operation: row.operation,
  productCode: row.retailer_product_code,
  parameters: row.parameters,
  boughtAtMs: row.bought_at,
  asOfMs: row.as_of,
  credits: row.credits,
  buyboxCents: row.buybox_cents,
});

const READ = statement(
  'read-library-entry',
  `select ${RECORD_COLUMNS}, headers, body, encoding from library_entries
    where lane = $1 and account_id = $2 and entry_id = $3`,
);

export async function readEntry(
  db: Connection,
  { accountId, entryId }: { accountId: string; entryId: string },
): Promise<LibraryEntry | undefined> {
  const [row] = await db.query<EntryRow>(READ, [lane(accountId), accountId, entryId]);
  if (row === undefined) return undefined;
  const { body: bytes, encoding, headers } = row;
  const body = bytes && encoding && { bytes, encoding, headers: headers ?? {} };
  return { ...recordFromRow(row), body };
}

/** A newer response of the same request replaces the older one. */
const STORE = statement(
  'store-library-entry',
  `insert into library_entries (lane, account_id, entry_id, operation, retailer_product_code,
                                parameters, bought_at, as_of, credits, buybox_cents, headers, body,
                                encoding, body_bytes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   on conflict (lane, account_id, entry_id) do update
      set bought_at = excluded.bought_at, as_of = excluded.as_of, credits = excluded.credits,
          buybox_cents = excluded.buybox_cents, headers = excluded.headers, body = excluded.body,
          encoding = excluded.encoding, body_bytes = excluded.body_bytes`,
);

export async function storeEntry(db: Connection, entry: LibraryEntry): Promise<void> {
  const { body } = entry;
  await db.query(STORE, [
    lane(entry.accountId),
    entry.accountId,
    entry.entryId,
    entry.operation,
    entry.productCode,
    JSON.stringify(entry.parameters),
    isoTime(entry.boughtAtMs),
    isoTime(entry.asOfMs),
    entry.credits,
    entry.buyboxCents,
    body && JSON.stringify(body.headers),
    body?.bytes ?? null,
    body?.encoding ?? null,
    body === null ? 0 : body.bytes.length,
  ]);
}

/** Entries after the newest ones that fit in both limits. */
const EVICT = statement(
  'evict-library-entries',
  `delete from library_entries d
    where d.lane = $1 and d.account_id = $2 and d.entry_id in (
      select entry_id from (
        select e.entry_id, row_number() over newest as number,
               sum(e.body_bytes) over newest as bytes
          from library_entries e where e.lane = $1 and e.account_id = $2
        window newest as (order by e.bought_at desc, e.entry_id desc rows unbounded preceding)
      ) as counted
      where number > $3 or bytes > $4)`,
);

export async function evictEntries(
  db: Database,
  accountId: string,
  limits: { entriesMax: number; bytesMax: number } = {
    entriesMax: bounds.libraryEntriesMax,
    bytesMax: bounds.libraryBytesMax,
  },
): Promise<void> {
  const { entriesMax, bytesMax } = limits;
  await db.query(EVICT, [lane(accountId), accountId, entriesMax, bytesMax]);
}

export type LibraryPosition = { atMs: number; id: string };
const NEWEST: LibraryPosition = {
  atMs: Date.UTC(9999, 0),
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
};

/** An account has few entries, so those of a product need no index of their own. */
const LIST = heavyStatement(
  'list-library-entries',
  `select ${RECORD_COLUMNS} from library_entries
    where lane = $1 and account_id = $2 and (bought_at, entry_id) < ($3::timestamptz, $4::uuid)
      and ($6::text is null or retailer_product_code = $6)
      and ($7::text is null or operation = $7)
    order by bought_at desc, entry_id desc
    limit $5`,
);

/** Newest first, without bodies. */
export async function listEntries(
  db: Database,
  input: {
    accountId: string;
    before?: LibraryPosition | undefined;
    productCode?: string | undefined;
    operation?: string | undefined;
    limit: number;
  },
): Promise<LibraryRecord[]> {
  const { accountId, before = NEWEST } = input;
  const rows = await db.read<RecordRow>(LIST, [
    lane(accountId),
    accountId,
    isoTime(before.atMs),
    before.id,
    input.limit,
    input.productCode ?? null,
    input.operation ?? null,
  ]);
  return rows.map(recordFromRow);
}

const KEPT_MS = 365 * DAY_MS;
const DELETED_AT_ONCE = 200;

/** Deletes entries that were bought more than a year ago. */
export async function dropOldEntries(db: Database, nowMs: number): Promise<void> {
  const old = {
    table: 'library_entries',
    key: ['account_id', 'entry_id'],
    column: 'bought_at',
    below: isoTime(nowMs - KEPT_MS),
    limit: DELETED_AT_ONCE,
  };
  while ((await deleteSomeOld(db, old)) > 0);
}
