// A row of the `webhooks` table: its columns, the type it is read into, and its key as parameters.
import { lane } from '../database/families.ts';
import type { EventKind } from '../events/kind.ts';
import type { WebhookKey } from './delivery-row.ts';

/** A webhook without its health. */
export type Registration = WebhookKey & {
  name: string;
  url: string;
  /** null: all. */
  kinds: readonly EventKind[] | null;
  /** null: events of all products. */
  tags: readonly string[] | null;
  createdAtMs: number;
};

export type RegistrationRow = {
  account_id: string;
  webhook_id: string;
  name: string;
  url: string;
  kinds: EventKind[] | null;
  tags: string[] | null;
  created_at: number;
};

export const COLUMNS = 'account_id, webhook_id, name, url, kinds, tags, created_at';

export const fromRow = (row: RegistrationRow): Registration => ({
  accountId: row.account_id,
  webhookId: row.webhook_id,
  name: row.name,
  url: row.url,
  kinds: row.kinds,
  tags: row.tags,
  createdAtMs: row.created_at,
});

export const keyValues = ({ accountId, webhookId }: WebhookKey) => [
  lane(accountId),
  accountId,
  webhookId,
];
