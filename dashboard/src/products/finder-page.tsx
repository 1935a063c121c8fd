// The finder: products by filters on their facts. Filters, sort and page are in the address; a page
// that was paid before is shown again for free.
import { ListFilter, Plus, X } from 'lucide-react';
import { useMemo } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { usePrices } from '../app/session.ts';
import { Button, IconButton } from '../design/button.tsx';
import { SelectField } from '../design/choice.tsx';
import { CostButton } from '../design/cost.tsx';
import { TextField } from '../design/field.tsx';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { EmptyState } from '../design/states.tsx';
import {
  type AddressFilters,
  FACT_NAMES,
  FACTS,
  type FactName,
  finderRequest,
  NO_FILTERS,
  type RangeFilter,
  rangeError,
  readRanges,
  writeRanges,
} from './fact-filter.ts';
import { FoundTable } from './found-table.tsx';
import { Arrival, Fetched, PaidProblem } from './paid-parts.tsx';
import { usePaid } from './paid-responses.ts';

export function FinderPage() {
  const [address, setAddress] = useAddressSearch(NO_FILTERS);
  const code = useMemo(() => JSON.stringify(finderRequest(address)), [address]);
  const credits = usePrices().data?.finder;
  const paid = usePaid({ what: 'finder', code });
  const change = (patch: Partial<AddressFilters>) => setAddress({ cursor: '', ...patch });
  const isWrong = readRanges(address.ranges).some((range) => rangeError(range) !== null);
  return (
    <Page wide>
      <PageHeader
        title="Finder"
        description="Products in the catalogue by price, rank, sales, stock and how they changed. An empty result is free."
      />
      <Card title="Filters" description="All filters must match.">
        <form
          noValidate
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            const isNew = paid.stored === null && !paid.busy && !paid.isLoading;
            if (credits !== undefined && isNew && !isWrong) paid.buy(credits);
          }}
        >
          <NameFilters address={address} onChange={change} />
          <RangeFilters
            ranges={readRanges(address.ranges)}
            onChange={(ranges) => change({ ranges: writeRanges(ranges) })}
          />
          <div className="flex flex-wrap items-end justify-between gap-3 border-t border-line pt-3">
            <SortFields address={address} onChange={change} />
            <div className="flex flex-wrap items-center gap-2">
              <Button variant="quiet" onClick={() => setAddress(NO_FILTERS)}>
                Clear filters
              </Button>
              {paid.stored === null ? (
                <CostButton
                  type="submit"
                  variant="primary"
                  credits={credits}
                  busy={paid.busy}
                  disabled={isWrong}
                >
                  Find
                </CostButton>
              ) : (
                <Fetched paid={paid} credits={credits} />
              )}
            </div>
          </div>
          {paid.error ? <PaidProblem error={paid.error} /> : null}
          <Arrival paid={paid} name="Products" />
        </form>
      </Card>
      {paid.stored === null ? null : paid.stored.data.products.length === 0 ? (
        <Card>
          <EmptyState title="No product matches" icon={<ListFilter aria-hidden />}>
            Nothing was charged. Use wider ranges or fewer filters.
          </EmptyState>
        </Card>
      ) : (
        <FoundTable
          page={paid.stored.data}
          address={address}
          onCursor={(cursor) => setAddress({ cursor })}
        />
      )}
    </Page>
  );
}

type Changed = { address: AddressFilters; onChange: (patch: Partial<AddressFilters>) => void };

const NAMES = [
  { name: 'categories', label: 'Categories', example: 'Kitchen, Home > Garden' },
  { name: 'brands', label: 'Brands', example: 'One or more, separated by commas' },
  { name: 'sellers', label: 'Buybox held by', example: 'Seller names, separated by commas' },
] as const;

function NameFilters({ address, onChange }: Changed) {
  return (
    <div className="grid gap-3 sm:grid-cols-3">
      {NAMES.map(({ name, label, example }) => (
        <TextField
          key={name}
          label={label}
          placeholder={example}
          maxLength={1000}
          value={address[name]}
          onChange={(value) => onChange({ [name]: value })}
        />
      ))}
    </div>
  );
}

function RangeFilters(props: {
  ranges: readonly RangeFilter[];
  onChange: (ranges: readonly RangeFilter[]) => void;
}) {
  const { ranges, onChange } = props;
  const used = new Set<string>(ranges.map(({ fact }) => fact));
  const free = FACT_NAMES.filter((name) => !used.has(name));
  const replace = (index: number, patch: Partial<RangeFilter>) =>
    onChange(ranges.map((range, at) => (at === index ? { ...range, ...patch } : range)));
  return (
    <div className="grid gap-3 lg:grid-cols-2">
      {ranges.map((range, index) => (
        <RangeRow
          key={range.fact}
          range={range}
          onChange={(patch) => replace(index, patch)}
          onRemove={() => onChange(ranges.filter((_, at) => at !== index))}
        />
      ))}
      {free.length === 0 ? null : (
        <div className="flex items-end gap-2">
          <Plus aria-hidden className="mb-2 size-4 text-muted" />
          <SelectField
            label="Add a filter"
            className="max-w-60 flex-1"
            value=""
            onChange={(fact: string) =>
              onChange([...ranges, { fact: fact as FactName, min: '', max: '' }])
            }
            options={[
              { value: '', label: 'Choose a fact' },
              ...free.map((name) => ({ value: name as string, label: FACTS[name].label })),
            ]}
          />
        </div>
      )}
    </div>
  );
}

function RangeRow(props: {
  range: RangeFilter;
  onChange: (patch: Partial<RangeFilter>) => void;
  onRemove: () => void;
}) {
  const { range, onChange, onRemove } = props;
  const { label, unit } = FACTS[range.fact];
  const bound = (name: 'min' | 'max', text: string) => (
    <TextField
      label={`${label}${unit === '' ? '' : ` (${unit})`}, ${text}`}
      labelHidden
      placeholder={text}
      inputMode="decimal"
      maxLength={16}
      value={range[name]}
      // Both separate filters in the address.
      onChange={(value) => onChange({ [name]: value.replace(/[:,]/g, '') })}
      error={name === 'min' ? rangeError(range) : null}
      className="w-24"
    />
  );
  return (
    <fieldset className="flex min-w-0 items-center gap-2">
      <legend className="sr-only">{label}</legend>
      <span aria-hidden className="min-w-0 flex-1 truncate text-sm text-ink">
        {label}
        {unit === '' ? null : <span className="text-muted"> ({unit})</span>}
      </span>
      {bound('min', 'from')}
      {bound('max', 'to')}
      <IconButton label={`Remove ${label}`} icon={<X aria-hidden />} onClick={onRemove} />
    </fieldset>
  );
}

function SortFields({ address, onChange }: Changed) {
  return (
    <div className="flex flex-wrap items-end gap-3">
      <SelectField
        label="Sort by"
        className="w-52"
        value={address.sort}
        onChange={(sort) => onChange({ sort })}
        options={FACT_NAMES.map((name) => ({ value: name as string, label: FACTS[name].label }))}
      />
      <SelectField
        label="Order"
        className="w-40"
        value={address.order}
        onChange={(order) => onChange({ order })}
        options={[
          { value: 'asc', label: 'Lowest first' },
          { value: 'desc', label: 'Highest first' },
        ]}
      />
    </div>
  );
}
