// Malformed responses as real providers send them, each made from the right response.

export type Rubbish = {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: string | Buffer;
};

type Json = Readonly<Record<string, unknown>>;

const TYPES = { json: 'application/json', html: 'text/html; charset=utf-8' } as const;
const as = (type: keyof typeof TYPES, body: string | Buffer, status = 200): Rubbish => ({
  status,
  headers: { 'content-type': TYPES[type] },
  body,
});

const page = () =>
  as('html', '<!doctype html><html><body><h1>We are making things better.</h1></body></html>');

/** Longer than a record may be. */
const PADDING = 1_100_000;
const DEPTH = 100_000;

/** All kinds, by name; a kind that does not apply to a response gives an HTML page. */
export const NONSENSE: Readonly<Record<string, (right: unknown) => Rubbish>> = {
  html: page,
  cutOff: (right) => {
    const text = JSON.stringify(right);
    return as('json', text.slice(0, Math.floor(text.length * 0.6)));
  },
  otherType: () => as('json', '[42,"yes",null]'),
  nothing: () => as('json', ''),
  bytes: () => as('json', Buffer.from([0xff, 0xfe, 0x00, 0x7b, 0x80, 0xc0, 0xaf, 0x7d])),
  emptyObject: (right) => as('json', isBatch(right) ? '{"snapshots":[],"missing":[]}' : '{}'),
  negativePrices: (right) =>
    eachRecord(right, (record) => ({ ...record, buybox: { price: -19.99, seller_name: 'A' } })),
  otherCodes: (right) =>
    eachRecord(right, (record) => ({
      ...record,
      retailer_product_code: `9${String(record.retailer_product_code).slice(1)}`,
    })),
  numbersAsText: (right) =>
    eachRecord(right, (record) => ({ ...record, number_of_reviews: '1,234', offers: 'none' })),
  fromTheFuture: (right) =>
    eachRecord(right, (record) => ({ ...record, observed_at: '2999-01-01T00:00:00Z' })),
  tooLarge: (right) =>
    eachRecord(right, (record, index) =>
      index === 0 ? { ...record, padding: 'x'.repeat(PADDING) } : record,
    ),
  nested: (right) => {
    const deep = '['.repeat(DEPTH) + ']'.repeat(DEPTH);
    const record = `{"observed_at":"2026-11-14T12:00:00Z","retailer_product_code":${deep}}`;
    return as('json', isBatch(right) ? `{"snapshots":[${record}],"missing":[]}` : record);
  },
  elsewhere: () => ({
    status: 302,
    headers: { location: 'http://127.0.0.1:9/elsewhere' },
    body: '',
  }),
};

const isBatch = (right: unknown): right is { snapshots: Json[] } =>
  typeof right === 'object' && right !== null && 'snapshots' in right;

function eachRecord(right: unknown, change: (record: Json, index: number) => Json): Rubbish {
  if (isBatch(right) && right.snapshots.length > 0) {
    return as('json', JSON.stringify({ ...right, snapshots: right.snapshots.map(change) }));
  }
  if (typeof right === 'object' && right !== null && 'retailer_product_code' in right) {
    return as('json', JSON.stringify(change(right as Json, 0)));
  }
  return page();
}
