// The delivery log of one webhook: live at the top, older entries on demand, by event and outcome.
import { useCallback, useState } from 'react';
import { explain } from '../app/api-problem.ts';
import type { LogView } from '../app/paged-log.ts';
import { Button } from '../design/button.tsx';
import { SelectField, Switch } from '../design/choice.tsx';
import { classNames } from '../design/class-names.ts';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { type LogEntry, type LogFilters, useDeliveryLog } from './delivery-log.ts';
import { DeliveryRows } from './delivery-rows.tsx';
import { EVENT_KINDS } from './event-choice.ts';
import { useRetry } from './webhook-calls.ts';

const EVENTS = [
  { value: '', label: 'All events' },
  ...EVENT_KINDS.map((kind) => ({ value: kind as string, label: kind as string })),
  { value: 'events.digest', label: 'events.digest' },
  { value: 'webhook.test', label: 'webhook.test' },
];
const OUTCOMES = [
  { value: '', label: 'All' },
  { value: 'success', label: 'Received' },
  { value: 'failed', label: 'Failed' },
  { value: 'pending', label: 'Sending' },
];

type Props = {
  id: string;
  filters: LogFilters;
  onFilters: (filters: Partial<LogFilters>) => void;
  onOpen: (deliveryId: string) => void;
};

export function DeliveriesCard({ id, filters, onFilters, onOpen }: Props) {
  const [live, setLive] = useState(true);
  const { newest, log, older, changing } = useDeliveryLog(id, filters, live);
  return (
    <Card
      title="Deliveries"
      description="All attempts of the last 30 days, newest first."
      flush
      actions={
        <>
          <SegmentedControl
            label="Outcome"
            value={filters.outcome}
            onChange={(outcome) => onFilters({ outcome })}
            options={OUTCOMES}
          />
          <SelectField
            label="Event"
            labelHidden
            value={filters.event}
            onChange={(event) => onFilters({ event })}
            options={EVENTS}
            className="w-40"
          />
          <Switch label="Live" checked={live} onChange={setLive} />
        </>
      }
    >
      {log === undefined ? (
        newest.isError ? (
          <ErrorState error={newest.error} onRetry={newest.refetch} />
        ) : (
          <SkeletonRows rows={8} columns={6} />
        )
      ) : (
        <div className={classNames(changing && 'opacity-60')} aria-busy={changing}>
          <Entries
            log={log}
            filtered={filters.event !== '' || filters.outcome !== ''}
            onOpen={onOpen}
          />
          {log.next === null ? null : (
            <div className="flex flex-col items-center gap-2 border-t border-line px-4 py-3">
              <Button
                size="sm"
                busy={older.isPending}
                onClick={() => log.next !== null && older.mutate(log.next)}
              >
                Load older
              </Button>
              {older.isError ? (
                <p role="alert" className="text-xs text-critical">
                  {explain(older.error).detail}
                </p>
              ) : null}
            </div>
          )}
        </div>
      )}
    </Card>
  );
}

function Entries({
  log,
  filtered,
  onOpen,
}: {
  log: LogView<LogEntry>;
  filtered: boolean;
  onOpen: (deliveryId: string) => void;
}) {
  const { mutate, isPending, variables } = useRetry();
  const retry = useCallback((deliveryId: string) => mutate({ deliveryId }), [mutate]);
  if (log.entries.length === 0)
    return filtered ? (
      <EmptyState title="No matching deliveries">Choose another event or outcome.</EmptyState>
    ) : (
      <EmptyState title="No deliveries yet">
        Deliveries appear here as events happen. Send a test to check your endpoint.
      </EmptyState>
    );
  return (
    <DeliveryRows
      entries={log.entries}
      onOpen={onOpen}
      onRetry={retry}
      retrying={isPending ? variables.deliveryId : null}
    />
  );
}
