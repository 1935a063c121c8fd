// The page "Events": all events of the last 30 days, by kind, product, tag, time and words, and as
// CSV.
import { Bell, Download, Search, X } from 'lucide-react';
import { useMemo } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { downloadPath } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useSettled } from '../app/use-settled.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { classNames } from '../design/class-names.ts';
import { TextField } from '../design/field.tsx';
import { countText } from '../design/money.tsx';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { type EventFilter, eventQuery, NO_EVENT_FILTER } from './event-filter.ts';
import { EventList } from './event-list.tsx';
import { EVENT_NAMES } from './event-words.ts';
import { useEventLog } from './use-event-log.ts';

export function EventsPage() {
  const [filter, setFilter] = useAddressSearch(NO_EVENT_FILTER);
  const settled = useSettled(filter);
  const query = useMemo(() => eventQuery(settled), [settled]);
  return (
    <Page>
      <PageHeader
        title="Events"
        description="Everything that changed on your tracked products in the last 30 days."
        actions={
          <ButtonLink
            href={downloadPath('/session/events.csv', query)}
            download
            icon={<Download aria-hidden className="size-3.5" />}
          >
            {Object.keys(query).length > 0 ? 'Export filtered CSV' : 'Export CSV'}
          </ButtonLink>
        }
      />
      <Card flush>
        <Filters filter={filter} onChange={setFilter} onClear={() => setFilter(NO_EVENT_FILTER)} />
        <Log query={query} onClear={() => setFilter(NO_EVENT_FILTER)} />
      </Card>
    </Page>
  );
}

const KINDS = [
  { value: '', label: 'All events' },
  ...Object.entries(EVENT_NAMES).map(([value, label]) => ({ value, label })),
];

type FilterProps = {
  filter: EventFilter;
  onChange: (patch: Partial<EventFilter>) => void;
  onClear: () => void;
};

function Filters({ filter, onChange, onClear }: FilterProps) {
  const isFiltered = Object.values(filter).some((value) => value !== '');
  return (
    <search
      aria-label="Filter the events"
      className="grid grid-cols-2 items-end gap-x-3 gap-y-2 border-b border-line px-4 py-3 lg:grid-cols-[minmax(0,2fr)_repeat(5,minmax(0,1fr))]"
    >
      <TextField
        label="Search"
        type="search"
        data-page-search
        placeholder="Product, seller or reason"
        icon={<Search aria-hidden />}
        value={filter.q}
        onChange={(q) => onChange({ q })}
        className="col-span-2 lg:col-span-1"
      />
      <SelectField
        label="Event"
        value={filter.type}
        onChange={(type) => onChange({ type })}
        options={KINDS}
      />
      <TextField
        label="Product code"
        inputMode="numeric"
        value={filter.product}
        onChange={(product) => onChange({ product })}
      />
      <TextField label="Tag" value={filter.tag} onChange={(tag) => onChange({ tag })} />
      <TextField
        label="From"
        type="date"
        value={filter.from}
        max={filter.to || undefined}
        onChange={(from) => onChange({ from })}
      />
      <TextField
        label="To"
        type="date"
        value={filter.to}
        min={filter.from || undefined}
        onChange={(to) => onChange({ to })}
      />
      {isFiltered ? (
        <Button
          size="sm"
          variant="quiet"
          icon={<X aria-hidden className="size-3.5" />}
          onClick={onClear}
          className="col-span-2 justify-self-start lg:col-span-6"
        >
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}

function Log({ query, onClear }: { query: ReturnType<typeof eventQuery>; onClear: () => void }) {
  const { newest, log, older, changing } = useEventLog(query);
  if (log === undefined)
    return newest.isError ? (
      <ErrorState error={newest.error} onRetry={newest.refetch} />
    ) : (
      <SkeletonRows rows={10} columns={3} />
    );
  if (log.entries.length === 0 && log.next === null)
    return <NoEvents isFiltered={Object.keys(query).length > 0} onClear={onClear} />;
  const { next, entries } = log;
  const many = `${countText(entries.length)} ${entries.length === 1 ? 'event' : 'events'}`;
  return (
    <div className={classNames(changing && 'opacity-60')} aria-busy={changing}>
      <EventList events={entries} label="Events" />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2.5">
        <p aria-live="polite" className="text-xs text-muted tabular-nums">
          {next === null ? `All ${many} shown.` : `The newest ${many} shown.`}
          {older.isError ? (
            <span className="text-critical"> {explain(older.error).detail}</span>
          ) : null}
        </p>
        {next === null ? null : (
          <Button size="sm" busy={older.isPending} onClick={() => older.mutate(next)}>
            Show older events
          </Button>
        )}
      </div>
    </div>
  );
}

function NoEvents({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (!isFiltered)
    return (
      <EmptyState title="No events in the last 30 days" icon={<Bell aria-hidden />}>
        Changes of price, buybox, sellers, stock and rank of your tracked products appear here.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No events match"
      icon={<Bell aria-hidden />}
      action={
        <Button size="sm" onClick={onClear}>
          Clear filters
        </Button>
      }
    >
      Change the filters to see more.
    </EmptyState>
  );
}
