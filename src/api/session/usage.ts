// GET /session/usage, /session/ledger and /session/ledger.csv: an account's credit usage by day,
// its ledger, and the ledger as CSV.
import { Type } from 'typebox';
import { readProducts } from '../../catalog/products.ts';
import type { Charging } from '../../credits/charge.ts';
import { ENTRY_KINDS, type EntryKind } from '../../credits/entry-kind.ts';
import { type DayUse, listEntries, readDailyUse } from '../../credits/ledger.ts';
import type { EntryFilter, EntryPosition } from '../../credits/ledger-rows.ts';
import type { LedgerEntry } from '../../credits/settlement.ts';
import type { Database } from '../../database/database.ts';
import type { Clock } from '../../foundation/clock.ts';
import { DAY_MS } from '../../foundation/time.ts';
import type { Parts } from '../heavy-requests.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from '../paging.ts';
import { csvCell } from '../table-response.ts';
import { LedgerRecord, ledgerRecord } from '../user-credits.ts';
import { instantOf, isoTime, nullable, TEXT_PATTERN } from '../wire.ts';
import { readNewest } from './running-balance.ts';
import { SESSION_PATH } from './session-endpoint.ts';

type Deps = { db: Database; charging: Charging; clock: Clock };

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

const USE_SPAN_MS = 31 * DAY_MS;

export function usageEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${SESSION_PATH}/usage`,
    operation: 'session-usage',
    operationId: 'session.getUsage',
    summary: 'Credits spent by day and operation',
    query: Type.Object({
      days: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 366, default: 30, description: '1 to 366 days' }),
      ),
    }),
    responses: {
      200: Type.Object(
        {
          from: Type.String({ format: 'date' }),
          to: Type.String({ format: 'date', description: 'Today (UTC), inclusive.' }),
          entries: Type.Array(
            Type.Object(
              {
                date: Type.String({ format: 'date' }),
                operation: Type.String(),
                credits: Type.Integer({ description: 'Negative if refunds exceed charges.' }),
              },
              { title: 'DayUsage' },
            ),
          ),
        },
        { title: 'Usage' },
      ),
    },
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { accountId } = caller.account;
      const toAtMs = (Math.floor(deps.clock.nowMs() / DAY_MS) + 1) * DAY_MS;
      const fromAtMs = toAtMs - (query.days ?? 30) * DAY_MS;
      const used: DayUse[] = [];
      // A busy account books millions of entries per month, so a statement sums at most one.
      for (let spanAtMs = fromAtMs; spanAtMs < toAtMs; spanAtMs += USE_SPAN_MS) {
        const spanEndAtMs = Math.min(toAtMs, spanAtMs + USE_SPAN_MS);
        const span = { accountId, fromAtMs: spanAtMs, toAtMs: spanEndAtMs };
        used.push(...(await takeTurn(() => readDailyUse(deps.db, span))));
      }
      return {
        json: {
          from: isoTime(fromAtMs).slice(0, 10),
          to: isoTime(toAtMs - 1).slice(0, 10),
          entries: used.map(({ on, operation, credits }) => ({ date: on, operation, credits })),
        },
      };
    },
  });
}

const Filters = {
  kind: Type.Optional(
    Type.Unsafe<EntryKind>({
      type: 'string',
      enum: [...ENTRY_KINDS],
      description: `one of ${ENTRY_KINDS.join(', ')}`,
    }),
  ),
  operation: Type.Optional(
    Type.String({
      maxLength: 200,
      pattern: TEXT_PATTERN,
      description: 'the name of an operation',
    }),
  ),
  from: Type.Optional(Instant('start of the range, inclusive')),
  to: Type.Optional(Instant('end of the range, exclusive')),
};

function Instant(what: string) {
  return Type.String({ format: 'date-time', maxLength: 40, description: `a time: ${what}` });
}

type FilterQuery = { kind?: EntryKind; operation?: string; from?: string; to?: string };

const LEDGER_PATH = `${SESSION_PATH}/ledger`;

const NamedRecord = Type.Object(
  {
    ...LedgerRecord.properties,
    product_name: nullable(Type.String()),
    balance_after: nullable(
      Type.Integer({
        description:
          'The credits left after this entry; on the first page without filter, and in the current period alone.',
      }),
    ),
  },
  { title: 'NamedLedgerEntry' },
);

export function ledgerEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: LEDGER_PATH,
    operation: 'session-ledger',
    operationId: 'session.listLedgerEntries',
    summary: 'Ledger entries that match a filter, newest first',
    query: Type.Object({ ...PageQuery, ...Filters }),
    responses: { 200: Type.Array(NamedRecord) },
    list: { record: NamedRecord },
    // Matching entries may lie far apart.
    heavy: ({ kind, operation }) => kind !== undefined || operation !== undefined,
    async respond({ query, caller }) {
      const { accountId } = caller.account;
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      // Reading the balance refreshes an ended period, so that its entry is in the list.
      await deps.charging.freshBalance(accountId);
      const { kind, operation, from, to, after } = query;
      const before = after === undefined ? startOf(query) : readCursor(after);
      const page = { accountId, before, limit: limit + 1, ...filterOf(query) };
      const isWhole = [kind, operation, from, to, after].every((value) => value === undefined);
      const { entries, balances } = isWhole
        ? await readNewest(deps.db, page)
        : { entries: await listEntries(deps.db, page), balances: [] };
      const first = firstPage(entries, limit);
      const codes = first.page.flatMap(({ productCode }) => productCode ?? []);
      const products = await readProducts(deps.db, [...new Set(codes)]);
      return {
        json: first.page.map((entry, index) => ({
          ...ledgerRecord(entry),
          product_name: products.get(entry.productCode ?? '')?.name ?? null,
          balance_after: balances[index] ?? null,
        })),
        ...nextPage(first, {
          path: LEDGER_PATH,
          limit,
          filters: { kind, operation, from, to },
          positionOf: (entry) => entry,
        }),
      };
    },
  });
}

/** Enough for years of most accounts; larger ledgers are read through the API. */
const CSV_ROWS_MAX = 100_000;
const CSV_PAGE = 1_000;

export function ledgerCsvEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${LEDGER_PATH}.csv`,
    operation: 'session-ledger-csv',
    operationId: 'session.downloadLedger',
    summary: 'Ledger entries as CSV',
    query: Type.Object(Filters),
    responses: { 200: Type.String() },
    mediaType: 'text/csv',
    heavy: () => true,
    async respond({ query, caller, takeTurn }) {
      const { accountId } = caller.account;
      await deps.charging.freshBalance(accountId);
      const filter = { accountId, before: startOf(query), ...filterOf(query) };
      return {
        parts: csvParts((before) =>
          takeTurn(() => listEntries(deps.db, { ...filter, ...before, limit: CSV_PAGE })),
        ),
        headers: {
          'content-type': 'text/csv; charset=utf-8',
          'content-disposition': 'attachment; filename="oversight-ledger.csv"',
        },
      };
    },
  });
}

async function* csvParts(
  readPage: (from: { before?: EntryPosition }) => Promise<LedgerEntry[]>,
): Parts {
  yield 'at,kind,credits,operation,retailer_product_code,reference,id\r\n';
  let from: { before?: EntryPosition } = {};
  for (let rows = 0; rows < CSV_ROWS_MAX; rows += CSV_PAGE) {
    const page = await readPage(from);
    const last = page.at(-1);
    yield page.map((entry) => `${csvLine(entry)}\r\n`).join('');
    if (page.length < CSV_PAGE || last === undefined) return;
    from = { before: { atMs: last.atMs, id: last.id } };
  }
  yield `,,,,,"truncated after ${CSV_ROWS_MAX} entries: choose a shorter range",\r\n`;
}

const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** `to` is exclusive: starts before the first entry of that instant. */
const startOf = (query: FilterQuery) =>
  query.to === undefined
    ? undefined
    : { atMs: instantOf(query.to, 'Query parameter to'), id: FIRST_ID };

const filterOf = (query: FilterQuery): EntryFilter => ({
  kind: query.kind,
  operation: query.operation,
  fromAtMs: query.from === undefined ? undefined : instantOf(query.from, 'Query parameter from'),
});

const csvLine = (entry: LedgerEntry): string =>
  [
    isoTime(entry.atMs),
    entry.kind,
    entry.credits,
    // The reason of a grant is free text of an operator.
    csvCell(entry.operation ?? ''),
    entry.productCode ?? '',
    csvCell(entry.reference),
    entry.id,
  ].join(',');
