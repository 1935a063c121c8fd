// Small marks of webhooks and deliveries: status, success rate, events, outcome, response status.
import { Badge, StatusDot } from '../design/badge.tsx';
import { Absent, Percent } from '../design/money.tsx';
import type { Outcome } from './delivery-log.ts';
import { GOOD_PERCENT, POOR_PERCENT } from './endpoint-health.ts';
import { choiceWords, type Webhook } from './event-choice.ts';

/** A pause by the service needs the customer's attention; one by the customer does not. */
export function WebhookStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'Active') return <StatusDot tone="positive">Active</StatusDot>;
  return (
    <StatusDot tone={webhook.paused_reason === null ? 'caution' : 'critical'}>Paused</StatusDot>
  );
}

export function SuccessRate({ percent }: { percent: number | null }) {
  if (percent === null) return <Absent reason="no finished delivery in the last 7 days" />;
  const tone =
    percent >= GOOD_PERCENT
      ? 'text-ink'
      : percent >= POOR_PERCENT
        ? 'text-caution'
        : 'text-critical';
  return (
    <span className={tone}>
      <Percent share={percent / 100} />
    </span>
  );
}

const SHOWN_MAX = 2;

/** The first few; the rest as a count with their names on hover. */
export function EventWords({ events }: { events: Webhook['events'] }) {
  const words = choiceWords(events);
  const rest = words.slice(SHOWN_MAX);
  return (
    <span className="inline-flex flex-wrap gap-1">
      {words.slice(0, SHOWN_MAX).map((word) => (
        <Badge key={word}>{word}</Badge>
      ))}
      {rest.length > 0 ? (
        <span title={rest.join(', ')}>
          <Badge>
            <span aria-hidden>+{rest.length}</span>
            <span className="sr-only">and {rest.join(', ')}</span>
          </Badge>
        </span>
      ) : null}
    </span>
  );
}

const OUTCOMES = {
  success: { tone: 'positive', word: 'Received' },
  failed: { tone: 'critical', word: 'Failed' },
  pending: { tone: 'accent', word: 'Sending' },
} as const;

export function OutcomeMark({ outcome }: { outcome: Outcome }) {
  const { tone, word } = OUTCOMES[outcome];
  return <StatusDot tone={tone}>{word}</StatusDot>;
}

/** The response of the target; only 200 and 201 count as received. */
export function ResponseStatus({ status, outcome }: { status: number | null; outcome: Outcome }) {
  if (status === null)
    return <Absent reason={outcome === 'pending' ? 'no response yet' : 'no response'} />;
  return (
    <Badge tone={outcome === 'success' ? 'positive' : 'critical'} className="tabular-nums">
      {status}
    </Badge>
  );
}
