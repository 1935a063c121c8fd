// All webhooks: a table on a wide screen, cards on a narrow one.
import { Ellipsis, Pause, Pencil, Play, Send, Trash2 } from 'lucide-react';
import { paths } from '../app/paths.ts';
import { IconButton } from '../design/button.tsx';
import { Link } from '../design/link.tsx';
import { useMedia } from '../design/media.ts';
import { Menu } from '../design/menu.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime } from '../design/time.tsx';
import type { Webhook } from './event-choice.ts';
import { EventWords, SuccessRate, WebhookStatus } from './webhook-marks.tsx';

/** The table needs this width beside the sidebar. */
const NARROW = '(max-width: 1023px)';

type ListActions = {
  onEdit: (webhook: Webhook) => void;
  onTest: (webhook: Webhook) => void;
  onSetStatus: (webhook: Webhook, status: Webhook['status']) => void;
  onRemove: (webhook: Webhook) => void;
};

type Props = ListActions & { webhooks: readonly Webhook[] };

export function WebhookList(props: Props) {
  return useMedia(NARROW) ? <WebhookCards {...props} /> : <WebhookTable {...props} />;
}

function WebhookTable({ webhooks, ...actions }: Props) {
  return (
    <DataTable caption="Webhooks">
      <TableHead>
        <Th>Name</Th>
        <Th>Target</Th>
        <Th>Events</Th>
        <Th>Status</Th>
        <Th>Last delivery</Th>
        <Th
          align="end"
          className="py-1"
          title="The share of the deliveries finished in the last 7 days that arrived, including retries"
        >
          Success <span className="block font-normal">after retries</span>
        </Th>
        <Th>
          <span className="sr-only">Actions</span>
        </Th>
      </TableHead>
      <TableBody>
        {webhooks.map((webhook) => (
          <Tr key={webhook.id}>
            {/* Both share the remaining width, and wrap to a second line before truncating. */}
            <Td className="w-[32%] max-w-0">
              <NameLink webhook={webhook} />
            </Td>
            <Td
              className="w-[44%] max-w-0 font-mono text-xs text-muted"
              title={`${webhook.method} ${webhook.url}`}
            >
              <span className="line-clamp-2 break-all">
                {webhook.method} {webhook.url}
              </span>
            </Td>
            <Td className="xl:whitespace-nowrap xl:*:flex-nowrap">
              <EventWords events={webhook.events} />
            </Td>
            <Td className={webhook.paused_reason === null ? 'whitespace-nowrap' : 'min-w-40'}>
              <WebhookStatus webhook={webhook} />
              <PausedReason webhook={webhook} />
            </Td>
            <Td className="whitespace-nowrap text-muted">
              <RelativeTime at={webhook.last_delivery_at} absent="no deliveries yet" />
            </Td>
            <Td align="end">
              <SuccessRate percent={webhook.success_rate} />
            </Td>
            <Td align="end" className="w-px">
              <ActionsMenu webhook={webhook} {...actions} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}

function WebhookCards({ webhooks, ...actions }: Props) {
  return (
    <ul aria-label="Webhooks" className="divide-y divide-line">
      {webhooks.map((webhook) => (
        <li key={webhook.id} className="flex flex-col gap-1.5 py-3 pr-2 pl-4">
          <div className="flex items-center gap-2">
            <span className="min-w-0 flex-1">
              <NameLink webhook={webhook} />
            </span>
            <span className="text-sm">
              <WebhookStatus webhook={webhook} />
            </span>
            <ActionsMenu webhook={webhook} {...actions} />
          </div>
          <p className="pr-2 font-mono text-xs break-all text-muted">
            {webhook.method} {webhook.url}
          </p>
          <EventWords events={webhook.events} />
          <PausedReason webhook={webhook} />
          <dl className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-muted">
            <div className="flex gap-1">
              <dt>Last delivery</dt>
              <dd className="text-ink">
                <RelativeTime at={webhook.last_delivery_at} absent="no deliveries yet" />
              </dd>
            </div>
            <div className="flex gap-1">
              <dt>Success after retries</dt>
              <dd>
                <SuccessRate percent={webhook.success_rate} />
              </dd>
            </div>
          </dl>
        </li>
      ))}
    </ul>
  );
}

function PausedReason({ webhook }: { webhook: Webhook }) {
  if (webhook.paused_reason === null) return null;
  return (
    <span className="block pr-2 text-xs text-muted">By the service: {webhook.paused_reason}</span>
  );
}

function NameLink({ webhook }: { webhook: Webhook }) {
  return (
    <Link
      to={paths.webhook(webhook.id)}
      title={webhook.name}
      className="line-clamp-2 rounded-sm font-medium wrap-anywhere text-ink hover:underline"
    >
      {webhook.name}
    </Link>
  );
}

function ActionsMenu({ webhook, ...actions }: ListActions & { webhook: Webhook }) {
  const active = webhook.status === 'Active';
  return (
    <Menu
      trigger={
        <IconButton
          label={`Actions for ${webhook.name}`}
          size="sm"
          icon={<Ellipsis aria-hidden className="size-4" />}
        />
      }
      entries={[
        { label: 'Send test', icon: <Send aria-hidden />, onSelect: () => actions.onTest(webhook) },
        { label: 'Edit', icon: <Pencil aria-hidden />, onSelect: () => actions.onEdit(webhook) },
        active
          ? {
              label: 'Pause',
              icon: <Pause aria-hidden />,
              onSelect: () => actions.onSetStatus(webhook, 'Paused'),
            }
          : {
              label: 'Resume',
              icon: <Play aria-hidden />,
              onSelect: () => actions.onSetStatus(webhook, 'Active'),
            },
        'separator',
        {
          label: 'Remove',
          icon: <Trash2 aria-hidden />,
          danger: true,
          onSelect: () => actions.onRemove(webhook),
        },
      ]}
    />
  );
}
