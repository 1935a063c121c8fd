// The health of one webhook: header with actions, why it is paused, and its figures.
import { Ellipsis, History, KeyRound, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Badge } from '../design/badge.tsx';
import { Button, IconButton } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { CopyButton } from '../design/copy-button.tsx';
import { Menu } from '../design/menu.tsx';
import { Card, Notice, PageHeader } from '../design/page.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import { digestText } from './digest-choice.ts';
import { sentence } from './endpoint-health.ts';
import { choiceWords, type Webhook } from './event-choice.ts';
import { SuccessRate, WebhookStatus } from './webhook-marks.tsx';

/** What can be opened over the page. */
export type WebhookWindow = 'edit' | 'rotate' | 'recover' | 'remove';

type HeaderProps = {
  webhook: Webhook;
  back: { to: string; label: string };
  testing: boolean;
  changing: boolean;
  onTest: () => void;
  onSetStatus: (status: Webhook['status']) => void;
  onShow: (shown: WebhookWindow) => void;
};

export function WebhookHeader(props: HeaderProps) {
  const { webhook, back, testing, changing, onTest, onSetStatus, onShow } = props;
  const active = webhook.status === 'Active';
  const Turn = active ? Pause : Play;
  return (
    <PageHeader
      title={webhook.name}
      back={back}
      description={
        <span className="flex items-center gap-1">
          <span className="min-w-0 font-mono text-xs break-all">
            {webhook.method} {webhook.url}
          </span>
          <CopyButton text={webhook.url} name="URL" />
        </span>
      }
      actions={
        <>
          <Button icon={<Send aria-hidden className="size-3.5" />} busy={testing} onClick={onTest}>
            Send test
          </Button>
          <Button
            variant={active ? 'secondary' : 'primary'}
            icon={<Turn aria-hidden className="size-3.5" />}
            busy={changing}
            onClick={() => onSetStatus(active ? 'Paused' : 'Active')}
          >
            {active ? 'Pause' : 'Resume'}
          </Button>
          <Button icon={<Pencil aria-hidden className="size-3.5" />} onClick={() => onShow('edit')}>
            Edit
          </Button>
          <Menu
            trigger={
              <IconButton
                label="More actions"
                variant="secondary"
                icon={<Ellipsis aria-hidden className="size-4" />}
              />
            }
            entries={[
              {
                label: 'Recover missed events',
                icon: <History aria-hidden />,
                onSelect: () => onShow('recover'),
              },
              {
                label: 'Rotate secret',
                icon: <KeyRound aria-hidden />,
                onSelect: () => onShow('rotate'),
              },
              'separator',
              {
                label: 'Remove',
                icon: <Trash2 aria-hidden />,
                danger: true,
                onSelect: () => onShow('remove'),
              },
            ]}
          />
        </>
      }
    />
  );
}

/** Renders nothing while the webhook is active. */
export function PausedNotice({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'Active') return null;
  const { paused_reason: reason } = webhook;
  return (
    <Notice tone={reason === null ? 'caution' : 'critical'}>
      {reason === null ? (
        <>
          <strong className="font-semibold">You paused this webhook.</strong> Events are recorded
          but not sent. After resuming, recover the missed events.
        </>
      ) : (
        <>
          <strong className="font-semibold">The service paused this webhook.</strong>{' '}
          {sentence(reason)} Events are recorded but not sent. Fix the endpoint, send a test,
          resume, then recover the missed events.
        </>
      )}
    </Notice>
  );
}

export function WebhookFacts({ webhook }: { webhook: Webhook }) {
  const digest = digestText(webhook.digest);
  return (
    <Card>
      <dl className="grid grid-cols-2 gap-x-8 gap-y-4 lg:grid-cols-[auto_auto_auto_auto_minmax(16rem,1fr)]">
        <Datum name="Status">
          <WebhookStatus webhook={webhook} />
        </Datum>
        <Datum name="Success after retries, 7 days">
          <SuccessRate percent={webhook.success_rate} />
        </Datum>
        <Datum name="Last delivery">
          <RelativeTime at={webhook.last_delivery_at} absent="no deliveries in the last 30 days" />
        </Datum>
        <Datum name="Created">
          <Time at={webhook.created_at} show="day" />
        </Datum>
        <Datum name="Events" className="col-span-2 lg:col-span-1">
          <span className="flex flex-wrap gap-1">
            {choiceWords(webhook.events).map((word) => (
              <Badge key={word}>{word}</Badge>
            ))}
            {digest === null ? null : <Badge tone="accent">{digest}</Badge>}
          </span>
        </Datum>
      </dl>
    </Card>
  );
}

function Datum({
  name,
  className,
  children,
}: {
  name: string;
  className?: string;
  children: ReactNode;
}) {
  return (
    <div className={classNames('min-w-0', className)}>
      <dt className="text-xs text-muted">{name}</dt>
      <dd className="flex min-h-6 items-center text-base font-medium text-ink">{children}</dd>
    </div>
  );
}
