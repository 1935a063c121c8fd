// Purchases of signed-in people go through the library of their account: a response that is fresh
// there is free, and a new one is charged and stored in one transaction. Requests with an API key
// do not come here. Decision 29.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../accounts/callers.ts';
import type { Charging } from '../credits/charge.ts';
import type { SaleOutcome } from '../credits/charge-with.ts';
import type { LedgerEntry } from '../credits/settlement.ts';
import type { Database } from '../database/database.ts';
import { bounds } from '../foundation/bounds.ts';
import { type Clock, isoTime } from '../foundation/clock.ts';
import { decompressSync, type Encoding } from '../foundation/compression.ts';
import type { Log } from '../foundation/log.ts';
import { SECOND_MS } from '../foundation/time.ts';
import {
  byProductCode,
  entryIdOf,
  type Parameters,
  parametersOf,
  productOf,
} from '../library/entry-key.ts';
import { freshMsOf, isCurrent } from '../library/freshness.ts';
import {
  evictEntries,
  type LibraryEntry,
  type LibraryRecord,
  readEntry,
  type StoredBody,
  storeEntry,
} from '../library/library-entries.ts';
import { compress, encodingFor } from './content-encoding.ts';
import type { ReadyBody, ResponseBody } from './response-body.ts';
import { formatOf, type ListShape } from './table-response.ts';
import { instantOf } from './wire.ts';

type Deps = {
  db: Database;
  charging: Charging;
  clock: Clock;
  log: Log;
  sampleCodes: ReadonlySet<string>;
};

/** What the library needs to know of a response. */
export type PaidResponse = ResponseBody & {
  productCode?: string;
  observed?: { atMs: number; buyboxCents: number | null };
};

type StoredResponse = ResponseBody & { credits: 0 };

export type Purchase = {
  accountId: string;
  operation: string;
  parameters: Parameters;
  /** The time of the entry that an explicit refresh replaces; null without one. */
  refreshOfAtMs: number | null;
  /** Whether the product is a sample, whose data costs nothing. */
  isSample: boolean;
  /** What the library has, if it makes the request free. */
  current: LibraryEntry | null;
  /** Its body, in the format of the request. */
  response: StoredResponse | null;
};

/** The header of an explicit refresh: `x-library-bought-at` of the response that it replaces. */
const REFRESH_HEADER = 'x-library-refresh';

/** null for a request that has nothing to do with the library. */
export async function openPurchase(
  deps: Deps,
  route: { operation: string; list?: ListShape },
  request: FastifyRequest,
): Promise<Purchase | null> {
  if (freshMsOf(route.operation) === null) return null;
  const { accountId } = (request.caller as Caller).account;
  const { operation } = route;
  const parameters = parametersOf(request.query as Parameters, request.body);
  const refresh = request.headers[REFRESH_HEADER];
  const refreshOfAtMs =
    refresh === undefined ? null : instantOf(String(refresh), `Header ${REFRESH_HEADER}`);
  const entryId = entryIdOf({ accountId, operation, parameters });
  const entry = await readEntry(deps.db, { accountId, entryId });
  const terms = { nowMs: deps.clock.nowMs(), refreshOfAtMs };
  const current = entry !== undefined && isCurrent(entry, terms) ? entry : null;
  const isJson = route.list === undefined || formatOf(request) === 'json';
  const body = isJson && current !== null ? current.body : null;
  // Only responses to GET are sent compressed (response-body.ts).
  const isGet = request.method === 'GET';
  const preferred = isGet ? encodingFor(request.headers['accept-encoding']) : null;
  const response = body && storedResponse(body, preferred);
  const isSample = deps.sampleCodes.has(productOf(parameters, undefined) ?? '');
  return { accountId, operation, parameters, refreshOfAtMs, isSample, current, response };
}

/** Stored bytes as a response: as they are for a client that prefers their encoding. */
export function storedResponse(body: StoredBody, preferred: Encoding | null): StoredResponse {
  const { bytes, encoding, headers } = body;
  const isPreferred = encoding === preferred;
  return {
    ...(isPreferred && { encoded: { bytes, encoding, version: bytes } }),
    ...(!isPreferred && { json: decompressSync(bytes, encoding) }),
    headers,
    credits: 0,
  };
}

/** Charges a prepared response and stores it, unless another request has just bought the same. */
export async function buy(
  deps: Deps,
  purchase: Purchase,
  input: { ready: ReadyBody; response: PaidResponse; entry: LedgerEntry; isJson: boolean },
): Promise<{ outcome: SaleOutcome<LibraryRecord>; bought: LibraryRecord; isHit: boolean }> {
  const { response, entry } = input;
  const { accountId, operation } = purchase;
  const productCode = productOf(purchase.parameters, response.productCode);
  const parameters = byProductCode(purchase.parameters, productCode);
  const entryId = entryIdOf({ accountId, operation, parameters });
  const body = input.isJson ? await storableBody(input.ready, response) : null;
  const bought: LibraryEntry = {
    accountId,
    entryId,
    operation,
    productCode,
    parameters,
    boughtAtMs: entry.atMs,
    asOfMs: response.observed?.atMs ?? entry.atMs,
    credits: -entry.credits,
    buyboxCents: response.observed?.buyboxCents ?? null,
    body,
  };
  if (deps.sampleCodes.has(productCode ?? '')) return give(deps, { ...bought, credits: 0 });
  const outcome = await deps.charging.chargeWith<LibraryRecord>({
    entry,
    async find(tx) {
      const present = await readEntry(tx, { accountId, entryId });
      const terms = { nowMs: deps.clock.nowMs(), refreshOfAtMs: purchase.refreshOfAtMs };
      return present !== undefined && isCurrent(present, terms) ? present : undefined;
    },
    store: (tx) => storeEntry(tx, bought),
  });
  if ('present' in outcome) return { outcome, bought: outcome.present, isHit: true };
  if (outcome.booked) await evict(deps, accountId);
  return { outcome, bought, isHit: false };
}

/** A sample costs nothing, so nothing is booked and the ledger stays as it is. */
async function give(deps: Deps, entry: LibraryEntry) {
  await storeEntry(deps.db, entry);
  await evict(deps, entry.accountId);
  return { outcome: { present: entry }, bought: entry, isHit: false };
}

/** null if it is too large. It is stored as it is sent, or compressed if it is sent plain. */
async function storableBody(
  { payload, encoding }: ReadyBody,
  response: PaidResponse,
): Promise<StoredBody | null> {
  if (payload === undefined || payload instanceof Readable) return null;
  const plain = typeof payload === 'string' ? Buffer.from(payload) : payload;
  const bytes = encoding === null ? await compress(plain, 'zstd') : plain;
  if (bytes.length > bounds.libraryBodyBytesMax) return null;
  return { bytes, encoding: encoding ?? 'zstd', headers: response.headers ?? {} };
}

/** The response is paid: a failure here must not lose it. The next purchase evicts again. */
async function evict({ db, log }: Deps, accountId: string): Promise<void> {
  try {
    await evictEntries(db, accountId);
  } catch (error) {
    log.warn({ account_id: accountId, reason: String(error) }, 'library not evicted');
  }
}

/** Where a response came from, and how old it is. */
export function describeLibrary(
  { clock }: Pick<Deps, 'clock'>,
  reply: FastifyReply,
  { record, isHit }: { record: LibraryRecord; isHit: boolean },
): void {
  const { boughtAtMs } = record;
  const ageMs = Math.max(0, clock.nowMs() - boughtAtMs);
  reply.headers({
    'x-library': isHit ? 'hit' : 'stored',
    'x-library-id': record.entryId,
    'x-library-bought-at': isoTime(boughtAtMs),
    'x-library-as-of': isoTime(record.asOfMs),
    'x-library-fresh-until': isoTime(boughtAtMs + (freshMsOf(record.operation) ?? 0)),
    age: String(Math.floor(ageMs / SECOND_MS)),
  });
}
