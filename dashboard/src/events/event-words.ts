// The text of an event: what changed, from what to what. Pure, for every kind.
import type { ResponseOf } from '../app/api-client.ts';
import { countText, moneyText, signedPercentText } from '../design/money.tsx';

export type EventKind = ResponseOf<'GET /session/events'>[number]['type'];

/** An event as GET /session/events returns it; `data` is the body that webhooks get. */
export type NotifiedEvent = { type: string; data: Readonly<Record<string, unknown>> };

type Value = number | string | null;
type EventValues = {
  before: Value;
  after: Value;
  reason: string | null;
  data: NotifiedEvent['data'];
};

const TEXTS: Record<EventKind, (values: EventValues) => string> = {
  'buybox.won': wonText,
  'buybox.lost': lostText,
  'buybox.rotation': rotationText,
  'price.drop': ({ before, after }) => `Price dropped ${moveText(before, after)}`,
  'price.increase': ({ before, after }) => `Price rose ${moveText(before, after)}`,
  'price.suppressed': ({ before }) =>
    typeof before === 'number'
      ? `Buybox suppressed, last price ${moneyText(before)}`
      : 'Buybox suppressed',
  'price.restored': ({ after }) =>
    typeof after === 'number' ? `Buybox is back at ${moneyText(after)}` : 'Buybox is back',
  'seller.new': newSellerText,
  'seller.removed': ({ before }) => `${sellerOr(before, 'A seller')} stopped selling`,
  'seller.price_change': sellerPriceText,
  'stock.low': stockLowText,
  'stock.out': ({ before }) =>
    typeof before === 'number' && before > 0
      ? `Out of stock, ${unitsText(before)} before`
      : 'Out of stock',
  'stock.restored': ({ after }) =>
    typeof after === 'number' ? `Back in stock with ${unitsText(after)}` : 'Back in stock',
  'rank.gained': (values) => `Rank rose ${rankText(values)}`,
  'rank.lost': (values) => `Rank fell ${rankText(values)}`,
  'rule.matched': ({ reason }) => `Rule matched: ${reason ?? 'a condition became true'}`,
};

/** "Price dropped $33.75 → $31.20 (−7.6%)". An unknown kind shows its name. */
export function eventWords({ type, data }: NotifiedEvent): string {
  if (!isEventKind(type)) return type;
  const reason = typeof data.reason === 'string' && data.reason !== '' ? data.reason : null;
  const values = { before: valueIn(data.before), after: valueIn(data.after), reason, data };
  return TEXTS[type](values);
}

/** The kinds by name, for a list of choices. */
export const EVENT_NAMES: Readonly<Record<EventKind, string>> = {
  'buybox.won': 'Buybox won',
  'buybox.lost': 'Buybox lost',
  'buybox.rotation': 'Buybox rotation',
  'price.drop': 'Price drop',
  'price.increase': 'Price increase',
  'price.suppressed': 'Buybox suppressed',
  'price.restored': 'Buybox restored',
  'seller.new': 'New seller',
  'seller.removed': 'Seller removed',
  'seller.price_change': 'Seller price change',
  'stock.low': 'Low stock',
  'stock.out': 'Out of stock',
  'stock.restored': 'Back in stock',
  'rank.gained': 'Rank gained',
  'rank.lost': 'Rank lost',
  'rule.matched': 'Rule matched',
};

export type EventTone = 'neutral' | 'accent' | 'positive' | 'caution' | 'critical';

const TONES: Partial<Record<EventKind, EventTone>> = {
  'buybox.won': 'positive',
  'buybox.lost': 'critical',
  'price.suppressed': 'critical',
  'price.restored': 'positive',
  'stock.low': 'caution',
  'stock.out': 'critical',
  'stock.restored': 'positive',
};

/** Good or bad news for the seller; a price change is neither. */
export const eventTone = (type: string): EventTone =>
  (isEventKind(type) ? TONES[type] : undefined) ?? 'neutral';

export const isEventKind = (type: string): type is EventKind => Object.hasOwn(TEXTS, type);

/** The product's name, or its code if the name is unknown. */
export function eventProduct({ data }: NotifiedEvent): { code: string; name: string } {
  const code = typeof data.retailer_product_code === 'string' ? data.retailer_product_code : '';
  const name = typeof data.product_name === 'string' ? data.product_name : '';
  return { code, name: name === '' ? code : name };
}

function wonText({ before, after }: EventValues): string {
  const winner = sellerOr(after, 'A seller');
  return typeof before === 'string'
    ? `${winner} won the buybox from ${before}`
    : `${winner} took the empty buybox`;
}

function lostText({ before, after, reason }: EventValues): string {
  const why = reason === null ? '' : ` (${reason})`;
  if (typeof before !== 'string') return `Buybox lost${why}`;
  const to = typeof after === 'string' ? ` to ${after}` : '';
  return `${before} lost the buybox${to}${why}`;
}

/** Many changes arrive as one event, whose reason summarises them. */
function rotationText({ before, after, reason }: EventValues): string {
  if (reason !== null) return `Buybox rotates: ${reason}`;
  const holder = sellerOr(after, 'another seller');
  return typeof before === 'string'
    ? `Buybox went from ${before} to ${holder}`
    : `Buybox went to ${holder}`;
}

function newSellerText({ after, data }: EventValues): string {
  if (typeof after !== 'string') return 'A new seller';
  const offers = offersIn(data).filter(({ seller }) => seller === after);
  const price = offers.length === 1 && offers[0] ? ` at ${moneyText(offers[0].landed)}` : '';
  return `${after} started selling${price}`;
}

/** Events recorded before sellers were named lack the seller. */
function sellerPriceText({ before, after, data }: EventValues): string {
  const seller = sellerOr(plainValue(data.seller_name), 'A seller');
  return `${seller} changed price ${moveText(before, after, 'incl. shipping')}`;
}

function stockLowText({ before, after, reason }: EventValues): string {
  const left = typeof after === 'number' ? `, ${unitsText(after)} left` : '';
  const was = typeof before === 'number' ? ` (${countText(before)} before)` : '';
  return `Stock is low${left}${was}${reason === null ? '' : `, ${reason}`}`;
}

function rankText({ before, after, reason, data }: EventValues): string {
  const rank = data.rank as { category?: unknown } | null | undefined;
  const where = typeof rank?.category === 'string' ? ` in ${rank.category}` : '';
  const from = typeof before === 'number' ? `${countText(before)} → ` : '';
  const to = typeof after === 'number' ? countText(after) : 'unknown';
  return `${from}${to}${where}${reason === null ? '' : `, ${reason}`}`;
}

/** `how` qualifies the price: shipping included. */
function moveText(before: Value, after: Value, how = ''): string {
  if (typeof after !== 'number') return 'to an unknown price';
  const share =
    typeof before === 'number' && before > 0 ? signedPercentText((after - before) / before) : '';
  const remarks = [share, how].filter((remark) => remark !== '').join(', ');
  const remark = remarks === '' ? '' : ` (${remarks})`;
  if (typeof before !== 'number') return `to ${moneyText(after)}${remark}`;
  return `${moneyText(before)} → ${moneyText(after)}${remark}`;
}

const unitsText = (units: number) => `${countText(units)} ${units === 1 ? 'unit' : 'units'}`;

const sellerOr = (value: Value, otherwise: string) =>
  typeof value === 'string' && value !== '' ? value : otherwise;

const valueIn = (observation: unknown): Value =>
  plainValue((observation as { value?: unknown } | null | undefined)?.value);

const plainValue = (value: unknown): Value =>
  typeof value === 'number' || typeof value === 'string' ? value : null;

type Offer = { seller: string; landed: number };

function offersIn({ offers }: NotifiedEvent['data']): Offer[] {
  if (!Array.isArray(offers)) return [];
  return offers.flatMap((offer: Record<string, unknown> | null) => {
    const { seller_name: seller, price, shipping } = offer ?? {};
    if (typeof seller !== 'string' || typeof price !== 'number') return [];
    return [{ seller, landed: price + (typeof shipping === 'number' ? shipping : 0) }];
  });
}
