// GET /session/library and /session/library/{id}: the responses that the account has bought in the
// dashboard, and one of them as it was. Both are free, however old the response is.
import { Type } from 'typebox';
import { eanOf, upcOf } from '../../catalog/gtin.ts';
import type { Products } from '../../catalog/read-batched.ts';
import type { Database } from '../../database/database.ts';
import { isId } from '../../foundation/id.ts';
import { dollars } from '../../foundation/money.ts';
import { Problem } from '../../foundation/problem.ts';
import { freshMsOf, LIBRARY_OPERATIONS } from '../../library/freshness.ts';
import { type LibraryRecord, listEntries, readEntry } from '../../library/library-entries.ts';
import { storedResponse } from '../library-purchase.ts';
import { type Endpoint, endpoint } from '../metered.ts';
import { firstPage, nextPage, PAGE_LIMIT_DEFAULT, PageQuery, readCursor } from '../paging.ts';
import { ProductCode } from '../product-selector.ts';
import { DateTime, isoTime, nullable } from '../wire.ts';
import { SESSION_PATH } from './session-endpoint.ts';

type Deps = { db: Database; products: Products };

const PATH = `${SESSION_PATH}/library`;

const common = { tag: 'Session', bucket: 'account', method: 'GET' } as const;

const LibraryEntryRecord = Type.Object(
  {
    id: Type.String(),
    operation: Type.String({ description: 'What was bought, as in the ledger.' }),
    retailer_product_code: nullable(
      Type.String({ description: 'null for a response that is not about one product.' }),
    ),
    product_name: nullable(Type.String()),
    upc: nullable(Type.String({ description: '12 digits' })),
    ean: nullable(Type.String({ description: '13 digits' })),
    parameters: Type.Record(Type.String(), Type.Unknown(), {
      description: 'The parameters of the request.',
    }),
    bought_at: DateTime('When it was bought'),
    as_of: DateTime('When the data was observed'),
    fresh_until: DateTime('Until then the same request is free in the dashboard'),
    credits: Type.Integer({ minimum: 0, description: 'What it cost.' }),
    buybox_price: nullable(Type.Number({ description: 'USD; in responses that have one.' })),
  },
  { title: 'LibraryEntry' },
);

export const libraryEndpoints = (deps: Deps): Endpoint[] => [
  listEndpoint(deps),
  entryEndpoint(deps),
];

function listEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: PATH,
    operation: 'session-library',
    operationId: 'session.listLibrary',
    summary: 'Responses that the account has bought in the dashboard, newest first',
    query: Type.Object({
      ...PageQuery,
      retailer_product_code: Type.Optional(ProductCode),
      operation: Type.Optional(
        Type.Unsafe<string>({
          type: 'string',
          enum: [...LIBRARY_OPERATIONS],
          description: `one of ${LIBRARY_OPERATIONS.join(', ')}`,
        }),
      ),
    }),
    responses: { 200: Type.Array(LibraryEntryRecord) },
    list: { record: LibraryEntryRecord },
    async respond({ query, caller }) {
      const { retailer_product_code: productCode, operation } = query;
      const limit = query.limit ?? PAGE_LIMIT_DEFAULT;
      const records = await listEntries(deps.db, {
        accountId: caller.account.accountId,
        before: query.after === undefined ? undefined : readCursor(query.after),
        productCode,
        operation,
        limit: limit + 1,
      });
      const first = firstPage(records, limit);
      return {
        json: await Promise.all(first.page.map((record) => entryRecord(deps, record))),
        ...nextPage(first, {
          path: PATH,
          limit,
          filters: { retailer_product_code: productCode, operation },
          positionOf: ({ boughtAtMs, entryId }) => ({ atMs: boughtAtMs, id: entryId }),
        }),
      };
    },
  });
}

/** Reads of products are batched: a page of entries is one statement. */
async function entryRecord({ products }: Deps, record: LibraryRecord) {
  const { productCode: code, boughtAtMs, buyboxCents } = record;
  const product = code === null ? undefined : await products.byCode(code);
  const gtin = product?.gtin ?? null;
  return {
    id: record.entryId,
    operation: record.operation,
    retailer_product_code: code,
    product_name: product?.name ?? null,
    upc: gtin && upcOf(gtin),
    ean: gtin && eanOf(gtin),
    parameters: record.parameters,
    bought_at: isoTime(boughtAtMs),
    as_of: isoTime(record.asOfMs),
    fresh_until: isoTime(boughtAtMs + (freshMsOf(record.operation) ?? 0)),
    credits: record.credits,
    buybox_price: buyboxCents === null ? null : dollars(buyboxCents),
  };
}

function entryEndpoint(deps: Deps): Endpoint {
  return endpoint({
    ...common,
    path: `${PATH}/:id`,
    operation: 'session-library-entry',
    operationId: 'session.getLibraryEntry',
    summary: 'A bought response as it was',
    params: Type.Object({ id: Type.String({ maxLength: 100, description: 'the id of an entry' }) }),
    responses: { 200: Type.Unknown({ description: 'The response of the operation.' }) },
    errors: [404],
    async respond({ params, caller, encoding }) {
      const { accountId } = caller.account;
      const { id } = params;
      const entry = isId(id) ? await readEntry(deps.db, { accountId, entryId: id }) : undefined;
      if (entry?.body == null) {
        throw new Problem('library_entry_not_found', 'The library has no such response.');
      }
      const { link } = entry.body.headers;
      return {
        ...storedResponse(entry.body, encoding),
        headers: {
          ...(link === undefined ? {} : { link }),
          'x-library-bought-at': isoTime(entry.boughtAtMs),
        },
      };
    },
  });
}
