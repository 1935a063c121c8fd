// The schemas of events: what a webhook receives and the event feed returns.
import { type TObject, Type } from 'typebox';
import { ALL_KINDS, type EventKind } from '../events/kind.ts';
import { DIGEST_KIND, LISTED_MAX } from '../webhooks/digest-payload.ts';
import { TEST_KIND } from '../webhooks/resend.ts';
import { DateTime, nullable } from './wire.ts';

const Usd = Type.Number({ description: 'USD' });
const Units = nullable(Type.Integer({ minimum: 0, description: 'null when unknown' }));

export const ObservedValue = Type.Object(
  {
    value: Type.Union([Type.Number(), Type.String(), Type.Null()]),
    observed_at: DateTime('When the value was observed'),
  },
  { title: 'ObservedValue' },
);

const Threshold = Type.Object(
  Object.fromEntries(
    ['percent', 'usd', 'units', 'days', 'places', 'count'].map((name) => [
      name,
      Type.Optional(Type.Number()),
    ]),
  ),
  { title: 'RuleThreshold' },
);

export const AppliedRule = Type.Object(
  {
    name: Type.String(),
    threshold: Type.Union([Threshold, Type.Number(), Type.String(), Type.Null()]),
    id: Type.Optional(
      Type.String({ description: 'The rule for many products whose condition became true.' }),
    ),
    condition: Type.Optional(Type.String({ description: 'The condition of that rule.' })),
  },
  { title: 'AppliedRule', description: 'The rule that fired the event.' },
);

const EventBuybox = Type.Object(
  { price: Usd, seller_name: nullable(Type.String()) },
  { title: 'EventBuybox' },
);
const EventRank = Type.Object(
  { position: Type.Integer({ minimum: 1 }), category: Type.String() },
  { title: 'EventRank' },
);
const EventOffer = Type.Object(
  { seller_name: Type.String(), price: Usd, shipping: Usd, units_in_stock: Units },
  { title: 'EventOffer' },
);

export const EventData = Type.Object(
  {
    event_id: Type.String(),
    oversight_product_id: Type.String({ description: 'The id of the tracked product.' }),
    retailer_product_code: Type.String(),
    product_name: nullable(Type.String()),
    tier: Type.Integer({ minimum: 0, maximum: 4 }),
    tags: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The tags of the product when the event was recorded.',
      }),
    ),
    metadata: Type.Optional(
      nullable(
        Type.Unsafe<Record<string, unknown>>({
          type: 'object',
          additionalProperties: true,
          description: 'Your own data of the product when the event was recorded.',
        }),
      ),
    ),
    before: nullable(ObservedValue),
    after: nullable(ObservedValue),
    rule: AppliedRule,
    reason: nullable(Type.String()),
    seller_name: Type.Optional(Type.String({ description: 'Present in seller events.' })),
    buybox: nullable(EventBuybox),
    units_in_stock: Units,
    rank: nullable(EventRank),
    offers: Type.Array(EventOffer, { description: 'At most five, the cheapest first.' }),
  },
  { title: 'EventData' },
);

export const EventPayload = Type.Object(
  {
    type: Type.String({ enum: [...ALL_KINDS, TEST_KIND] }),
    timestamp: DateTime('When it happened'),
    data: EventData,
  },
  { title: 'EventPayload' },
);

const DigestEvent = Type.Object(
  {
    event_id: Type.String(),
    type: Type.String({ enum: [...ALL_KINDS] }),
    timestamp: DateTime('When it happened'),
    retailer_product_code: Type.String(),
    product_name: nullable(Type.String()),
    before: Type.Union([Type.Number(), Type.String(), Type.Null()]),
    after: Type.Union([Type.Number(), Type.String(), Type.Null()]),
    reason: nullable(Type.String({ description: 'As in the event, at most 60 characters.' })),
  },
  { title: 'DigestEvent' },
);

const DigestCounts = Type.Object(
  Object.fromEntries(ALL_KINDS.map((kind) => [kind, Type.Optional(Type.Integer({ minimum: 1 }))])),
  { title: 'DigestCounts', description: 'The number of events of each type that occurred.' },
);

/** The body of a digest. */
export const DigestPayload = Type.Object(
  {
    type: Type.String({ enum: [DIGEST_KIND] }),
    timestamp: DateTime('When the hour or day ended'),
    data: Type.Object(
      {
        event_id: Type.String({ description: 'The id of the digest.' }),
        from: DateTime('The start of the hour or day'),
        to: DateTime('Its exclusive end'),
        event_count: Type.Integer({ minimum: 1 }),
        counts: DigestCounts,
        events: Type.Array(DigestEvent, {
          maxItems: LISTED_MAX,
          description: 'The most important events first, as many as fit.',
        }),
        events_url: Type.String({
          description: 'Lists all events recorded in this time, whatever the webhook receives.',
        }),
      },
      { title: 'DigestData' },
    ),
  },
  { title: 'EventsDigest' },
);

/** The body of a delivery of one type. */
export const payloadOf = (kind: EventKind): TObject =>
  Type.Object(
    { type: Type.Literal(kind), timestamp: DateTime('When it happened'), data: EventData },
    { title: `${pascalCase(kind)}Event` },
  );

/** `price.drop` becomes `PriceDrop`. */
export const pascalCase = (words: string) =>
  words.replace(/(?:^|[._-])([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** `sign-up` becomes `signUp`. */
export const camelCase = (words: string) =>
  words.replace(/[._-]([a-z])/g, (_, letter: string) => letter.toUpperCase());
