// A row of the `webhooks` table: its columns, the type it is read into, and its key as parameters.
import { lane } from '../database/families.ts';
import type { EventKind } from '../events/kind.ts';
import type { WebhookKey } from './delivery-row.ts';
import type { Digest } from './digest-period.ts';
import type { EndpointHealth, PauseCause } from './endpoint-health.ts';
import type { QuietHours } from './quiet-hours.ts';

export const settingJson = (setting: QuietHours | Digest | null | undefined): string | null =>
  setting == null ? null : JSON.stringify(setting);

/** A webhook without its health. */
export type Registration = WebhookKey & {
  name: string;
  url: string;
  /** null: all. */
  kinds: readonly EventKind[] | null;
  /** null: events of all products. */
  tags: readonly string[] | null;
  /** null: none. */
  quietHours: QuietHours | null;
  /** null: a delivery for each event. */
  digest: Digest | null;
  /** Whether any 2xx counts as received, not only 200 and 201. */
  acceptsAny2xx: boolean;
  createdAtMs: number;
};

export type RegistrationRow = {
  account_id: string;
  webhook_id: string;
  name: string;
  url: string;
  kinds: EventKind[] | null;
  tags: string[] | null;
  quiet_hours: QuietHours | null;
  digest: Digest | null;
  any_2xx: boolean;
  created_at: number;
};

export const COLUMNS = `account_id, webhook_id, name, url, kinds, tags, quiet_hours, digest,
  any_2xx, created_at`;

export const fromRow = (row: RegistrationRow): Registration => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  name: row.name,
  url: row.url,
  kinds: row.kinds,
  tags: row.tags,
  quietHours: row.quiet_hours,
  digest: row.digest,
  acceptsAny2xx: row.any_2xx,
  createdAtMs: row.created_at,
});

export const keyValues = ({ accountId, webhookId }: WebhookKey) => [
  lane(accountId),
  accountId,
  webhookId,
];

/** A webhook's secrets as stored. */
export type Sealed = WebhookKey & {
  secret: Buffer;
  oldSecret: Buffer | null;
  oldSecretExpiresAtMs: number | null;
};

/** Where to send and how to sign: the current secret first, then the old one while it is valid. */
export type Target = WebhookKey & {
  url: string;
  secrets: readonly string[];
  acceptsAny2xx: boolean;
};

export type TargetRow = {
  account_id: string;
  webhook_id: string;
  url: string;
  secret: Buffer;
  old_secret: Buffer | null;
  any_2xx: boolean;
};

export type SubscriptionStatus = EndpointHealth['status'];

export type Subscription = Registration & {
  status: SubscriptionStatus;
  /** Why the service paused it, in words and machine-readable; null when the customer did. */
  pausedReason: string | null;
  pauseCause: PauseCause | null;
  /** Time of the last attempt. */
  lastDeliveryAtMs: number | null;
  /** In percent of the deliveries finished in seven days; null when there are none. */
  successRate: number | null;
};

export type SubscriptionChange = {
  name?: string | undefined;
  url?: string | undefined;
  kinds?: readonly EventKind[] | null | undefined;
  tags?: readonly string[] | null | undefined;
  quietHours?: QuietHours | null | undefined;
  digest?: Digest | null | undefined;
  acceptsAny2xx?: boolean | undefined;
  status?: SubscriptionStatus | undefined;
};

export type NewSubscription = WebhookKey &
  SubscriptionChange & {
    name: string;
    url: string;
    kinds: readonly EventKind[] | null;
    /** In clear, as shown to the customer. */
    secret: string;
    encryptionKeys: readonly Buffer[];
    now: number;
  };
