// The body of a delivery: enough to act on without another call, and always between 400 and 2,100 bytes.
import { isoTime } from '../foundation/clock.ts';
import { dollars } from '../foundation/money.ts';
import { assert } from '../foundation/problem.ts';

const BYTES_MIN = 400;
const BYTES_MAX = 2_100;
const OFFERS_MAX = 5;
/** Ids, codes, kinds and rule names are never shortened: whoever reads them compares them. */
const WORD_CHARS_MAX = 64;
const WORD = /^[\x20-\x7e]*$/;

/** What was compared: money is marked, so that it is written in dollars. */
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
  before: ObservedValue | null;
  after: ObservedValue | null;
  rule: { name: string; threshold: PayloadThreshold };
  reason: string | null;
  /** Whom a seller event is about; without it for all others. */
  sellerName?: string | null;
  buybox: { priceCents: number; sellerName: string | null } | null;
  unitsInStock: number | null;
  rank: { position: number; category: string } | null;
  /** In any order; the cheapest are told. */
  offers: readonly PayloadOffer[];
};

/**
 * The body as it is signed and sent. What is too large loses offers from the dearest, then the ends of
 * its longest texts; what is too small is filled with spaces before its last brace, which JSON ignores.
 */
export function payloadBody(input: PayloadInput): string {
  for (const word of [input.type, input.eventId, input.oversightProductId, input.code]) {
    assert(word.length <= WORD_CHARS_MAX && WORD.test(word), `"${word}" in a payload`);
  }
  assert(input.rule.name.length <= WORD_CHARS_MAX && WORD.test(input.rule.name), 'a rule name');
  const whole = { ...input, offers: cheapest(input.offers) };
  return filled(fitting(whole));
}

function fitting(whole: PayloadInput): string {
  for (let count = whole.offers.length; count >= 0; count--) {
    const json = write({ ...whole, offers: whole.offers.slice(0, count) }, wellFormed);
    if (fits(json)) return json;
  }
  const bare = { ...whole, offers: [] };
  const writeWithin = (charsMax: number) => write(bare, (text) => shortened(text, charsMax));
  // The longest texts that fit: `enough` always fits, `tooMany` never does.
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

const fits = (json: string) => Buffer.byteLength(json) <= BYTES_MAX;

function filled(json: string): string {
  const missing = Math.max(0, BYTES_MIN - Buffer.byteLength(json));
  return missing === 0 ? json : `${json.slice(0, -1)}${' '.repeat(missing)}}`;
}

function cheapest(offers: readonly PayloadOffer[]): PayloadOffer[] {
  const landed = ({ priceCents, shippingCents }: PayloadOffer) => priceCents + shippingCents;
  return [...offers].sort((a, b) => landed(a) - landed(b)).slice(0, OFFERS_MAX);
}

// Half a surrogate pair cannot be written in UTF-8, and many JSON readers refuse it escaped.
const wellFormed = (text: string) => text.toWellFormed();

/** At most so many characters, the last of them … when something is missing. */
function shortened(text: string, charsMax: number): string {
  const chars = [...wellFormed(text)];
  if (chars.length <= charsMax) return chars.join('');
  return charsMax === 0 ? '' : `${chars.slice(0, charsMax - 1).join('')}…`;
}

function write(input: PayloadInput, text: (whole: string) => string): string {
  const maybe = (whole: string | null) => (whole === null ? null : text(whole));
  const plain = <T>(value: T | string) => (typeof value === 'string' ? text(value) : value);
  const observation = (seen: ObservedValue | null) =>
    seen === null
      ? null
      : { value: plain(valueOnWire(seen.value)), observed_at: isoTime(seen.observedAtMs) };
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
      before: observation(input.before),
      after: observation(input.after),
      rule: { name: rule.name, threshold: plain(rule.threshold) },
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

/** The body of `webhook.test`: a made-up price drop with every member, told apart by its type. */
export function testPayloadBody(test: { eventId: string; atMs: number }): string {
  const before = { value: { cents: 2_199 }, observedAtMs: test.atMs - 3_600_000 };
  const seller = { sellerName: 'Example Store', priceCents: 1_999, unitsInStock: 42 };
  return payloadBody({
    type: 'webhook.test',
    atMs: test.atMs,
    eventId: test.eventId,
    oversightProductId: '00000000-0000-0000-0000-000000000000',
    code: '000000000',
    productName: 'Example product (this is a test)',
    tier: 0,
    before,
    after: { value: { cents: 1_999 }, observedAtMs: test.atMs },
    rule: { name: 'price', threshold: { percent: 1, usd: 0.05 } },
    reason: 'A test that was asked for; nothing has happened.',
    buybox: { priceCents: 1_999, sellerName: seller.sellerName },
    unitsInStock: 42,
    rank: { position: 120, category: 'Examples' },
    offers: [{ ...seller, shippingCents: 0 }],
  });
}
