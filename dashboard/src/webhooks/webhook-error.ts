// Why the server rejected a webhook, and the field that is to blame.
import { ApiProblem, explain } from '../app/api-problem.ts';

export type WebhookError = {
  field: 'name' | 'url' | 'events' | 'tags' | 'quiet_hours' | 'digest' | null;
  text: string;
};

/** Codes whose remedy is clearer here than in the message for programs. */
const TEXTS: Readonly<Record<string, string>> = {
  webhook_target_private: 'This address is private. Use one that the whole internet can reach.',
  webhook_target_unresolvable:
    'The host name leads to no public address. Check the spelling and its DNS entry.',
};

export function webhookErrorOf(error: unknown): WebhookError {
  const { detail } = explain(error);
  if (!(error instanceof ApiProblem)) return { field: null, text: detail };
  return { field: fieldOf(error), text: TEXTS[error.code] ?? detail };
}

const FIELDS = ['name', 'url', 'events', 'tags', 'quiet_hours', 'digest'] as const;

/** The field may be a path with dots, such as `events.0`. */
function fieldOf({ field }: ApiProblem): WebhookError['field'] {
  const name = field?.split('.')[0];
  return FIELDS.find((one) => one === name) ?? null;
}
