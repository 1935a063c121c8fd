// The page "Tracked": all tracked products, their cost, and bulk actions.
import { useRouter } from '@tanstack/react-router';
import { Plus, Radar } from 'lucide-react';
import { useCallback, useDeferredValue, useMemo, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { paths } from '../app/paths.ts';
import { usePlan, usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { countText } from '../design/money.tsx';
import { Card, Notice, Page, PageHeader } from '../design/page.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonRows } from '../design/states.tsx';
import type { Sort } from '../design/table-column.ts';
import { AccountRules } from './account-rules.tsx';
import { ActionBar } from './action-bar.tsx';
import { BulkAddDialog } from './bulk-add-dialog.tsx';
import { productsText } from './bulk-change-dialog.tsx';
import { InTimeByTier } from './in-time-summary.tsx';
import { ProductPanel } from './product-panel.tsx';
import { tagsInUse } from './tag.ts';
import { creditsPerDay, DAYS_A_MONTH } from './tier-cost.ts';
import { directionOf, TrackedFilters, VIEW_DEFAULTS } from './tracked-filters.tsx';
import { useTrackedList } from './tracked-list.ts';
import type { Tracked } from './tracked-product.ts';
import { TrackedTable } from './tracked-table.tsx';
import { filterRows, isSortId, sortRows } from './tracked-view.ts';

/**
 * `add=1` opens the dialog for adding, `add=<codes>` fills it; `edit=<id>` opens a product's panel.
 */
const ADDRESS = { ...VIEW_DEFAULTS, add: '', edit: '', rules: '' };

export function TrackedProductsPage() {
  const [address, setAddress] = useAddressSearch(ADDRESS);
  const list = useTrackedList();
  const onAdd = () => setAddress({ add: '1' });
  const isNone = list.complete && list.rows.length === 0;
  return (
    <Page wide>
      <PageHeader
        title="Tracked"
        description={<Summary rows={list.rows} complete={list.complete} />}
        actions={
          <>
            <Button onClick={() => setAddress({ rules: '1' })}>Alert rules</Button>
            <Button
              variant="primary"
              icon={<Plus aria-hidden className="size-4" />}
              onClick={onAdd}
            >
              Add products
            </Button>
          </>
        }
      />
      {list.failure !== null && !list.isPending && list.rows.length === 0 ? (
        <Card flush>
          <ErrorState error={list.failure} onRetry={list.retry} />
        </Card>
      ) : isNone ? (
        <Card flush>
          <EmptyState
            title="Nothing tracked yet"
            icon={<Radar aria-hidden />}
            action={
              <Button variant="primary" onClick={onAdd}>
                Add products
              </Button>
            }
          >
            Add products by their codes to collect price, stock, sellers and rank, and to be
            notified when they change.
          </EmptyState>
        </Card>
      ) : (
        <TrackedProducts list={list} address={address} setAddress={setAddress} />
      )}
      {address.add === '' ? null : (
        <BulkAddDialog
          initialText={address.add === '1' ? '' : address.add}
          tracked={list.rows}
          onClose={() => setAddress({ add: '' })}
        />
      )}
      <AccountRules
        open={address.rules !== ''}
        onClose={() => setAddress({ rules: '' })}
        rows={list.rows}
      />
      <ProductPanel
        id={address.edit}
        row={list.rows.find(({ id }) => id === address.edit)}
        isLoading={!list.complete}
        onClose={() => setAddress({ edit: '' })}
      />
    </Page>
  );
}

function Summary({ rows, complete }: { rows: readonly Tracked[]; complete: boolean }) {
  const { data: plan } = usePlan();
  const { data: prices } = usePrices();
  const perDay = useMemo(() => creditsPerDay(rows, prices?.tiers ?? []), [rows, prices]);
  const suspended = useMemo(
    () => rows.filter(({ status }) => status === 'suspended').length,
    [rows],
  );
  if (!plan || !prices || !complete)
    return (
      // Padding, since a margin would collapse: the line keeps its height.
      <span className="block py-0.5">
        <Skeleton className="h-4 w-80 max-w-full" />
      </span>
    );
  return (
    <>
      <span className="tabular-nums">
        {productsText(rows.length)} of at most {countText(plan.tracked_products_max)} ·{' '}
        {countText(perDay)} credits per day · {countText(perDay * DAYS_A_MONTH)} in {DAYS_A_MONTH}{' '}
        days
        {suspended > 0 ? ` · ${countText(suspended)} suspended, not charged` : ''}
      </span>
      <InTimeByTier rows={rows} prices={prices.tiers} />
    </>
  );
}

type Address = { [K in keyof typeof ADDRESS]: string };

function TrackedProducts({
  list,
  address,
  setAddress,
}: {
  list: ReturnType<typeof useTrackedList>;
  address: Address;
  setAddress: (patch: Partial<Address>) => void;
}) {
  const router = useRouter();
  const { data: prices } = usePrices();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const { rows, view, sort } = useShownRows(list.rows, address);
  const chosen = useMemo(
    () => (selected.size === 0 ? [] : list.rows.filter(({ id }) => selected.has(id))),
    [list.rows, selected],
  );
  const { tags, needing } = useMemo(() => factsOf(list.rows), [list.rows]);
  const onEdit = useCallback((edit: string) => setAddress({ edit }), [setAddress]);
  return (
    <>
      <TrackedFilters
        view={address}
        onChange={setAddress}
        prices={prices?.tiers}
        tags={tags}
        needing={list.complete ? needing : undefined}
      />
      {list.failure !== null ? <StaleNotice onRetry={list.retry} /> : null}
      <Card flush>
        <ActionBar
          chosen={chosen}
          shown={rows}
          list={list}
          onClear={() => setSelected(new Set())}
        />
        {list.isPending ? (
          <SkeletonRows rows={12} columns={6} />
        ) : (
          <TrackedTable
            rows={rows}
            view={view}
            prices={prices?.tiers}
            sort={sort}
            onSort={({ column, direction }) => setAddress({ sort: column, order: direction })}
            selected={selected}
            onSelect={setSelected}
            onOpen={(row) => router.history.push(paths.product(row.retailer_product_code))}
            onEdit={onEdit}
            empty={
              <EmptyState
                title="No matches"
                action={
                  <Button onClick={() => setAddress(VIEW_DEFAULTS)}>
                    Clear search and filters
                  </Button>
                }
              >
                {list.complete ? 'No tracked product matches.' : 'More products are still loading.'}
              </EmptyState>
            }
          />
        )}
      </Card>
    </>
  );
}

function StaleNotice({ onRetry }: { onRetry: () => void }) {
  return (
    <Notice
      tone="caution"
      action={
        <Button size="sm" onClick={onRetry}>
          Try again
        </Button>
      }
    >
      The list could not be loaded completely. It may be out of date.
    </Notice>
  );
}

const factsOf = (rows: readonly Tracked[]) => ({
  tags: tagsInUse(rows),
  needing: rows.filter(({ attention }) => attention !== null).length,
});

/** Filtered and sorted. Typing stays fast: ten thousand rows follow when there is time. */
function useShownRows(all: readonly Tracked[], address: Address) {
  const { q, tier, status, tag, attention } = address;
  const words = useDeferredValue(q);
  const by = isSortId(address.sort) ? address.sort : 'added';
  const direction = directionOf(address);
  const filtered = useMemo(
    () => filterRows(all, { q: words, tier, status, tag, attention }),
    [all, words, tier, status, tag, attention],
  );
  const rows = useMemo(() => sortRows(filtered, by, direction), [filtered, by, direction]);
  const sort = useMemo<Sort>(() => ({ column: by, direction }), [by, direction]);
  return { rows, sort, view: [words, tier, status, tag, attention, by, direction].join('\n') };
}
