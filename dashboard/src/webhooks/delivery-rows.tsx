// The entries of the delivery log: a table on a wide screen, cards on a narrow one.
import { RotateCw } from 'lucide-react';
import { type KeyboardEvent, type MouseEvent, memo } from 'react';
import { IconButton } from '../design/button.tsx';
import { useMedia } from '../design/media.ts';
import { Absent, Bytes, Duration } from '../design/money.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Time } from '../design/time.tsx';
import type { LogEntry } from './delivery-log.ts';
import { sentence } from './endpoint-health.ts';
import { OutcomeMark, ResponseStatus } from './webhook-marks.tsx';

/** The table needs this width beside the sidebar. */
const NARROW = '(max-width: 1023px)';

type Actions = {
  onOpen: (deliveryId: string) => void;
  onRetry: (deliveryId: string) => void;
  /** The delivery that is being retried. */
  retrying: string | null;
};

export function DeliveryRows(props: Actions & { entries: readonly LogEntry[] }) {
  return useMedia(NARROW) ? <DeliveryCards {...props} /> : <DeliveryTable {...props} />;
}

function DeliveryTable({ entries, ...actions }: Actions & { entries: readonly LogEntry[] }) {
  return (
    <DataTable caption="Delivery log">
      <TableHead>
        <Th>Time</Th>
        <Th>Event</Th>
        <Th>Endpoint</Th>
        <Th>Status</Th>
        <Th>Outcome</Th>
        <Th align="end">Duration</Th>
        <Th align="end">Size</Th>
        <Th align="end">Attempt</Th>
        <Th>
          <span className="sr-only">Retry</span>
        </Th>
      </TableHead>
      <TableBody>
        {entries.map((entry) => (
          <DeliveryRow
            key={entry.id}
            entry={entry}
            onOpen={actions.onOpen}
            onRetry={actions.onRetry}
            retrying={actions.retrying === entry.delivery_id}
          />
        ))}
      </TableBody>
    </DataTable>
  );
}

type RowProps = {
  entry: LogEntry;
  onOpen: Actions['onOpen'];
  onRetry: Actions['onRetry'];
  retrying: boolean;
};

// The newest page is refetched with every change; unchanged rows do not render again.
const DeliveryRow = memo(
  function DeliveryRow({ entry, onOpen, onRetry, retrying }: RowProps) {
    const open = (event: MouseEvent) => {
      const onControl = (event.target as Element).closest('a,button');
      if (!onControl && getSelection()?.isCollapsed !== false) onOpen(entry.delivery_id);
    };
    return (
      <Tr className="cursor-pointer" onClick={open}>
        <Td className="whitespace-nowrap text-muted">
          <Time at={entry.timestamp} show="second" />
        </Td>
        <Td>
          <OpenButton entry={entry} onOpen={onOpen} />
        </Td>
        <Td
          className="max-w-28 truncate font-mono text-xs text-muted xl:max-w-40 2xl:max-w-96"
          title={entry.endpoint}
        >
          {entry.endpoint}
        </Td>
        <Td>
          <ResponseStatus status={entry.status} outcome={entry.outcome} />
        </Td>
        <Td className="min-w-32">
          <span className="flex flex-wrap items-baseline gap-x-2">
            <OutcomeMark outcome={entry.outcome} />
            {entry.reason === null ? null : (
              <span className="text-xs text-muted">{entry.reason}</span>
            )}
          </span>
        </Td>
        <Td align="end" className="whitespace-nowrap">
          <EntryDuration entry={entry} />
        </Td>
        <Td align="end" className="whitespace-nowrap">
          <Bytes of={entry.payload_bytes} />
        </Td>
        <Td align="end">{entry.attempt}</Td>
        <Td align="end" className="w-px py-0.5">
          <RetryButton entry={entry} onRetry={onRetry} retrying={retrying} />
        </Td>
      </Tr>
    );
  },
  (before, after) =>
    before.entry.id === after.entry.id &&
    before.entry.outcome === after.entry.outcome &&
    before.retrying === after.retrying &&
    before.onOpen === after.onOpen &&
    before.onRetry === after.onRetry,
);

function DeliveryCards({ entries, ...actions }: Actions & { entries: readonly LogEntry[] }) {
  return (
    <ul aria-label="Delivery log" className="divide-y divide-line">
      {entries.map((entry) => (
        <li key={entry.id} className="flex items-start gap-1 py-2 pr-1.5 pl-4">
          <div className="flex min-w-0 flex-1 flex-col gap-0.5 py-1">
            <div className="flex items-center gap-2">
              <OpenButton entry={entry} onOpen={actions.onOpen} />
              <ResponseStatus status={entry.status} outcome={entry.outcome} />
              <span className="ml-auto text-xs">
                <OutcomeMark outcome={entry.outcome} />
              </span>
            </div>
            <p className="flex flex-wrap gap-x-3 text-xs text-muted">
              <Time at={entry.timestamp} show="second" />
              <EntryDuration entry={entry} />
              <Bytes of={entry.payload_bytes} />
              <span>Attempt {entry.attempt}</span>
            </p>
            <p className="truncate font-mono text-2xs text-muted">{entry.endpoint}</p>
            {entry.reason === null ? null : (
              <p className="text-xs text-critical">{sentence(entry.reason)}</p>
            )}
          </div>
          <RetryButton
            entry={entry}
            onRetry={actions.onRetry}
            retrying={actions.retrying === entry.delivery_id}
          />
        </li>
      ))}
    </ul>
  );
}

function EntryDuration({ entry }: { entry: LogEntry }) {
  if (entry.duration_ms === null)
    return <Absent reason={entry.outcome === 'pending' ? 'not yet' : 'not measured'} />;
  return <Duration ms={entry.duration_ms} />;
}

function OpenButton({ entry, onOpen }: { entry: LogEntry; onOpen: Actions['onOpen'] }) {
  return (
    <button
      type="button"
      data-delivery-open
      aria-haspopup="dialog"
      onClick={() => onOpen(entry.delivery_id)}
      onKeyDown={moveFocus}
      className="rounded-sm font-mono text-xs font-medium text-ink hover:underline"
    >
      {entry.event}
    </button>
  );
}

/** Up and down move between entries, so that a long log need not be walked by Tab. */
function moveFocus(event: KeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined || event.metaKey || event.ctrlKey || event.altKey) return;
  const all = [...document.querySelectorAll<HTMLElement>('[data-delivery-open]')];
  const next = all[all.indexOf(event.currentTarget) + step];
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

function RetryButton({ entry, onRetry, retrying }: Omit<RowProps, 'onOpen'>) {
  const again = entry.outcome === 'success' ? 'Send again' : 'Retry';
  return (
    <IconButton
      label={`${again}: ${entry.event}`}
      size="sm"
      busy={retrying}
      icon={<RotateCw aria-hidden className="size-3.5" />}
      onClick={() => onRetry(entry.delivery_id)}
    />
  );
}
