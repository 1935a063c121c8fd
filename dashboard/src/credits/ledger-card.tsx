// The ledger: all entries of the balance, with filters kept in the URL.
import { Download, ReceiptText, X } from 'lucide-react';
import { useMemo } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { downloadPath } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import type { LogView } from '../app/paged-log.ts';
import { Button, ButtonLink } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { classNames } from '../design/class-names.ts';
import { TextField } from '../design/field.tsx';
import { useIsPhone } from '../design/media.ts';
import { countText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { type AddressFilter, isFiltered, ledgerQuery, NO_FILTER } from './ledger-filter.ts';
import { LedgerList, LedgerTable } from './ledger-rows.tsx';
import { KIND_WORDS, type LedgerEntry, OPERATIONS, operationText } from './ledger-words.ts';
import { useLedger } from './use-ledger.ts';

export function LedgerCard() {
  const [filter, setFilter] = useAddressSearch(NO_FILTER);
  const query = useMemo(() => ledgerQuery(filter), [filter]);
  const { newest, log, older, changing } = useLedger(query);
  const clear = () => setFilter(NO_FILTER);
  return (
    <Card
      title="Ledger"
      description="All charges, refunds, grants and refreshes, newest first."
      actions={
        <ButtonLink
          size="sm"
          href={downloadPath('/session/ledger.csv', query)}
          download
          icon={<Download aria-hidden className="size-3.5" />}
        >
          {isFiltered(query) ? 'Export filtered CSV' : 'Export CSV'}
        </ButtonLink>
      }
      flush
    >
      <Filters filter={filter} onChange={setFilter} onClear={clear} />
      {log === undefined ? (
        newest.isError ? (
          <ErrorState error={newest.error} onRetry={newest.refetch} />
        ) : (
          <SkeletonRows rows={10} columns={5} />
        )
      ) : log.entries.length === 0 ? (
        <NoEntries filtered={isFiltered(query)} onClear={clear} />
      ) : (
        <div className={classNames(changing && 'opacity-60')} aria-busy={changing}>
          <Entries log={log} />
          <Foot
            log={log}
            busy={older.isPending}
            failure={older.isError ? explain(older.error).detail : null}
            onOlder={(after) => older.mutate(after)}
          />
        </div>
      )}
    </Card>
  );
}

type Log = LogView<LedgerEntry>;

function Entries({ log }: { log: Log }) {
  return useIsPhone() ? (
    <LedgerList entries={log.entries} />
  ) : (
    <LedgerTable entries={log.entries} />
  );
}

type FilterProps = {
  filter: AddressFilter;
  onChange: (patch: Partial<AddressFilter>) => void;
  onClear: () => void;
};

const KINDS = [
  { value: '', label: 'All kinds' },
  ...Object.entries(KIND_WORDS).map(([value, label]) => ({ value, label })),
];

function Filters({ filter, onChange, onClear }: FilterProps) {
  // A URL may name an operation that is not in the list, such as the reason of a refund.
  const names = [...new Set([...OPERATIONS, filter.operation])].filter((name) => name !== '');
  const operations = [
    { value: '', label: 'All operations' },
    ...names.map((value) => ({ value, label: operationText(value) })),
  ];
  const filtered = Object.values(filter).some((value) => value !== '');
  return (
    <search
      aria-label="Filter the ledger"
      className="grid grid-cols-2 items-end gap-x-3 gap-y-2 border-b border-line px-4 py-3 md:grid-cols-[repeat(4,minmax(0,11rem))_auto]"
    >
      <SelectField
        label="Kind"
        value={filter.kind}
        onChange={(kind) => onChange({ kind })}
        options={KINDS}
      />
      <SelectField
        label="Operation"
        value={filter.operation}
        onChange={(operation) => onChange({ operation })}
        options={operations}
      />
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
      {filtered ? (
        <Button
          variant="quiet"
          icon={<X aria-hidden className="size-3.5" />}
          onClick={onClear}
          className="justify-self-start"
        >
          Clear filters
        </Button>
      ) : null}
    </search>
  );
}

function NoEntries({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (!filtered)
    return (
      <EmptyState title="No entries yet" icon={<ReceiptText aria-hidden />}>
        The first paid request or tracked product appears here.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No entries match"
      icon={<ReceiptText aria-hidden />}
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

type FootProps = {
  log: Log;
  busy: boolean;
  failure: string | null;
  onOlder: (after: string) => void;
};

function Foot({ log, busy, failure, onOlder }: FootProps) {
  const { next, entries } = log;
  const many = `${countText(entries.length)} ${entries.length === 1 ? 'entry' : 'entries'}`;
  return (
    <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2.5">
      <p aria-live="polite" className="text-xs text-muted tabular-nums">
        {next === null ? `All ${many} shown.` : `The newest ${many} shown.`}
        {failure === null ? null : <span className="text-critical"> {failure}</span>}
      </p>
      {next === null ? null : (
        <Button size="sm" busy={busy} onClick={() => onOlder(next)}>
          Show older entries
        </Button>
      )}
    </div>
  );
}
