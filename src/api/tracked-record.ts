// A tracked product on the wire: its record, and what a customer may set of it.
import { type Static, Type } from 'typebox';
import type { Caller } from '../accounts/callers.ts';
import { readStates } from '../catalog/products.ts';
import type { Database } from '../database/database.ts';
import { readRules } from '../events/read-rules.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import { HOUR_MS } from '../foundation/time.ts';
import { creditsPerDay, TIERS, type Tier } from '../tracking/tier.ts';
import type { TrackingOptions } from '../tracking/track.ts';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { delistedMember, ProductCode, TrackedDelistedAt } from './product-selector.ts';
import { RulesSchema } from './rules-schema.ts';
import { DateTime, isoTime, nullable, TEXT_PATTERN } from './wire.ts';

export const TierSchema = Type.Unsafe<Tier>({
  type: 'integer',
  enum: [...TIERS],
  description: `a tier from 0 to 4 (${TIERS.map((tier) => `${tier}: ${creditsPerDay(tier)} credits a day`).join(', ')})`,
});
export const SellerName = nullable(
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: TEXT_PATTERN,
    description: 'a seller name of 1 to 500 characters, or null for the account’s seller name',
  }),
);
/** Characters that need no escaping in a URL or in JSON. */
export const TAG_PATTERN = `^[A-Za-z0-9][A-Za-z0-9_.:-]{0,${bounds.tagCharsMax - 1}}$`;
export const TagSchema = Type.String({
  pattern: TAG_PATTERN,
  description: `a tag of 1 to ${bounds.tagCharsMax} letters, digits and _ . : -, which starts with a letter or a digit`,
});
const Tags = Type.Array(TagSchema, {
  maxItems: bounds.tagsMax,
  uniqueItems: true,
  description: `a list of at most ${bounds.tagsMax} different tags`,
});
/** The size is checked by `readMetadata`. */
const Metadata = nullable(
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    additionalProperties: true,
    description: `any JSON object of at most ${bounds.metadataBytesMax} bytes, or null for none`,
  }),
);

/** Throws for metadata that is too large. */
function readMetadata(
  metadata: Record<string, unknown> | null | undefined,
): TrackedProduct['metadata'] | undefined {
  const bytes = metadata ? Buffer.byteLength(JSON.stringify(metadata)) : 0;
  if (bytes <= bounds.metadataBytesMax) return metadata;
  throw new Problem(
    'metadata_invalid',
    `metadata must have at most ${bounds.metadataBytesMax} bytes as JSON; got ${bytes}.`,
    { field: 'metadata' },
  );
}

const Ttl = nullable(
  Type.Integer({
    minimum: 1,
    maximum: bounds.ttlHoursMax,
    description: `a whole number of hours from 1 to ${bounds.ttlHoursMax} after which tracking ends by itself, counted from now, or null for no end`,
  }),
);

export const TrackedRecord = Type.Object(
  {
    id: Type.String(),
    retailer_product_code: Type.String(),
    user_id: Type.String(),
    created_at: DateTime('When the product was added'),
    tier: TierSchema,
    status: Type.String({ enum: ['active', 'suspended'] }),
    seller_name: SellerName,
    rules: RulesSchema,
    tags: Tags,
    metadata: Metadata,
    ends_at: nullable(DateTime('When tracking ends by itself; null if it does not')),
    delisted_at: TrackedDelistedAt,
  },
  { title: 'TrackedProduct' },
);

/** What a customer may set of a tracked product, when it is added or later. */
export const TrackingSettings = Type.Object({
  tier: Type.Optional(TierSchema),
  seller_name: Type.Optional(SellerName),
  rules: Type.Optional(RulesSchema),
  tags: Type.Optional(Tags),
  metadata: Type.Optional(Metadata),
  ttl: Type.Optional(Ttl),
});

export const NewTrackedProduct = Type.Object(
  { retailer_product_code: ProductCode, ...TrackingSettings.properties },
  { title: 'NewTrackedProduct' },
);

/** Rules and metadata are stored as sent; here they are only validated. */
export function trackingOptionsOf(
  body: Static<typeof TrackingSettings>,
  nowMs: number,
): TrackingOptions {
  if (body.rules !== undefined) readRules(body.rules);
  return {
    tier: body.tier,
    sellerName: body.seller_name,
    rules: body.rules,
    tags: body.tags,
    metadata: readMetadata(body.metadata),
    endsAtMs: typeof body.ttl === 'number' ? nowMs + body.ttl * HOUR_MS : body.ttl,
  };
}

/** The settings that rules for many products add to. */
export const ownSettings = ({ tags = [], rules = null }: TrackingOptions) => ({ tags, rules });

export type WithDelisting = TrackedProduct & { delistedAtMs?: number | undefined };

/** Adds when each product was delisted, if it was. */
export async function withDelisting(
  { db }: { db: Database },
  page: readonly TrackedProduct[],
): Promise<WithDelisting[]> {
  const codes = page.map(({ code }) => code);
  const delistedAtMs = new Map(
    (await readStates(db, codes)).map((state) => [state.code, state.delistedAtMs]),
  );
  return page.map((tracked) => ({ ...tracked, delistedAtMs: delistedAtMs.get(tracked.code) }));
}

export function trackedRecord(tracked: WithDelisting, caller: Caller): Record<string, unknown> {
  return {
    id: tracked.trackedId,
    retailer_product_code: tracked.code,
    user_id: caller.account.accountId,
    created_at: isoTime(tracked.createdAtMs),
    tier: tracked.tier,
    status: tracked.isSuspended ? 'suspended' : 'active',
    seller_name: tracked.sellerName,
    rules: tracked.rules,
    tags: tracked.tags,
    metadata: tracked.metadata,
    ends_at: tracked.endsAtMs === null ? null : isoTime(tracked.endsAtMs),
    ...delistedMember(tracked),
  };
}
