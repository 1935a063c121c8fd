// Builds the body of a delivery: enough to act on without another call, always 400 to 2,100 bytes.
import { isoTime } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { assert } from '../foundation/problem.ts';
import { HOUR_MS } from '../foundation/time.ts';

const BYTES_MIN = 400;
const BYTES_MAX = 2_100;
const OFFERS_MAX = 5;
/** Ids, codes, kinds and rule names are never shortened: receivers compare them. */
const WORD_CHARS_MAX = 64;
const WORD = /^[\x20-\x7e]*$/;

/** A compared value; money is marked so that it is written in dollars. */
export type PayloadValue = { cents: number } | number | string | null;

export type PayloadThreshold =
  | Readonly<Partial<Record<'percent' | 'usd' | 'units' | 'days' | 'places' | 'count', number>>>
  | number
  | string
  | null;

export type PayloadOffer = {
  sellerName: string;
  priceCents: number;
  shippingCents: number;
  unitsInStock: number | null;
};

type ObservedValue = { value: PayloadValue; observedAtMs: number };

export type PayloadInput = {
  /** An event's kind, or `webhook.test`. */
  type: string;
  /** When it happened, on the service's clock. */
  atMs: number;
  eventId: string;
  oversightProductId: string;
  code: string;
  productName: string | null;
  tier: number;
  /** The customer's own, never shortened: bounded where they are set. */
  tags?: readonly string[];
  metadata?: Readonly<Record<string, unknown>> | null;
  before: ObservedValue | null;
  after: ObservedValue | null;
  rule: { name: string; threshold: PayloadThreshold; id?: string; condition?: string };
  reason: string | null;
  /** The seller of a seller event; absent for other kinds. */
  sellerName?: string | null;
  buybox: { priceCents: number; sellerName: string | null } | null;
  unitsInStock: number | null;
  rank: { position: number; category: string } | null;
  /** In any order; the cheapest are included. */
  offers: readonly PayloadOffer[];
};

/**
 * Returns the body as it is signed and sent. If too large it loses offers, the most expensive
 * first, then the ends of its longest texts. If too small it gets spaces before its last brace,
 * which JSON ignores.
 */
export function payloadBody(input: PayloadInput): string {
  for (const word of [input.type, input.eventId, input.oversightProductId, input.code]) {
    assert(word.length <= WORD_CHARS_MAX && WORD.test(word), `"${word}" in a payload`);
  }
  assert(input.rule.name.length <= WORD_CHARS_MAX && WORD.test(input.rule.name), 'a rule name');
  const whole = { ...input, offers: cheapest(input.offers) };
  return padded(fitted(whole));
}

function fitted(whole: PayloadInput): string {
  for (let count = whole.offers.length; count >= 0; count--) {
    const json = write({ ...whole, offers: whole.offers.slice(0, count) }, wellFormed);
    if (fits(json)) return json;
  }
  const bare = { ...whole, offers: [] };
  const writeWithin = (charsMax: number) => write(bare, (text) => shortened(text, charsMax));
  // Bisects for the longest texts that fit: `enough` always fits, `tooMany` never does.
  let [enough, tooMany] = [0, BYTES_MAX];
  while (tooMany - enough > 1) {
    const middle = Math.floor((enough + tooMany) / 2);
    if (fits(writeWithin(middle))) enough = middle;
    else tooMany = middle;
  }
  const json = writeWithin(enough);
  assert(fits(json), 'a payload without texts that is too large');
  return json;
}

export const fits = (json: string) => Buffer.byteLength(json) <= BYTES_MAX;

export function padded(json: string): string {
  const missing = Math.max(0, BYTES_MIN - Buffer.byteLength(json));
  return missing === 0 ? json : `${json.slice(0, -1)}${' '.repeat(missing)}}`;
}

function cheapest(offers: readonly PayloadOffer[]): PayloadOffer[] {
  const landed = ({ priceCents, shippingCents }: PayloadOffer) => priceCents + shippingCents;
  return [...offers].sort((a, b) => landed(a) - landed(b)).slice(0, OFFERS_MAX);
}

// A lone surrogate cannot be written in UTF-8, and many JSON parsers reject it escaped.
const wellFormed = (text: string) => text.toWellFormed();

/** At most `charsMax` characters; a shortened text ends in "…". */
export function shortened(text: string, charsMax: number): string {
  const chars = [...wellFormed(text)];
  if (chars.length <= charsMax) return chars.join('');
  return charsMax === 0 ? '' : `${chars.slice(0, charsMax - 1).join('')}…`;
}

function write(input: PayloadInput, text: (whole: string) => string): string {
  const maybe = (whole: string | null) => (whole === null ? null : text(whole));
  const plain = <T>(value: T | string) => (typeof value === 'string' ? text(value) : value);
  const onWire = (observed: ObservedValue | null) =>
    observed === null
      ? null
      : { value: plain(valueOnWire(observed.value)), observed_at: isoTime(observed.observedAtMs) };
  const { buybox, rank, rule } = input;
  return JSON.stringify({
    type: input.type,
    timestamp: isoTime(input.atMs),
    data: {
      event_id: input.eventId,
      oversight_product_id: input.oversightProductId,
      retailer_product_code: input.code,
      product_name: maybe(input.productName),
      tier: input.tier,
      tags: input.tags ?? [],
      metadata: input.metadata ?? null,
      before: onWire(input.before),
      after: onWire(input.after),
      rule: {
        name: rule.name,
        threshold: plain(rule.threshold),
        ...(rule.id === undefined ? {} : { id: rule.id }),
        ...(rule.condition === undefined ? {} : { condition: text(rule.condition) }),
      },
      reason: maybe(input.reason),
      ...(input.sellerName ? { seller_name: text(input.sellerName) } : {}),
      buybox:
        buybox === null
          ? null
          : { price: dollars(buybox.priceCents), seller_name: maybe(buybox.sellerName) },
      units_in_stock: input.unitsInStock,
      rank: rank === null ? null : { position: rank.position, category: text(rank.category) },
      offers: input.offers.map((offer) => ({
        seller_name: text(offer.sellerName),
        price: dollars(offer.priceCents),
        shipping: dollars(offer.shippingCents),
        units_in_stock: offer.unitsInStock,
      })),
    },
  });
}

function valueOnWire(value: PayloadValue): number | string | null {
  return typeof value === 'object' && value !== null ? dollars(value.cents) : value;
}

/**
 * The body of `webhook.test`: an example price drop with every member, distinguished by its type.
 */
export function testPayloadBody(test: { eventId: string; atMs: number }): string {
  const before = { value: { cents: 2_199 }, observedAtMs: test.atMs - HOUR_MS };
  const seller = { sellerName: 'Example Store', priceCents: 1_999, unitsInStock: 42 };
  return payloadBody({
    type: 'webhook.test',
    atMs: test.atMs,
    eventId: test.eventId,
    oversightProductId: '00000000-0000-0000-0000-000000000000',
    code: '000000000',
    productName: 'Example product (this is a test)',
    tier: 0,
    tags: ['example'],
    metadata: { note: 'your own data' },
    before,
    after: { value: { cents: 1_999 }, observedAtMs: test.atMs },
    rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
    reason: 'This is a test; nothing has changed.',
    buybox: { priceCents: 1_999, sellerName: seller.sellerName },
    unitsInStock: 42,
    rank: { position: 120, category: 'Examples' },
    offers: [{ ...seller, shippingCents: 0 }],
  });
}
