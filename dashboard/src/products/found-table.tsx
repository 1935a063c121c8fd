// Products that the finder found, with their facts. A click on a column sorts the rows shown.
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useState } from 'react';
import { paths } from '../app/paths.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { CostButton } from '../design/cost.tsx';
import { TextLink } from '../design/link.tsx';
import {
  Absent,
  Count,
  countText,
  Money,
  ratingText,
  signedPercentText,
} from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime } from '../design/time.tsx';
import { type AddressFilters, type FactName, finderRequest } from './fact-filter.ts';
import { type FoundPage, usePaid } from './paid-responses.ts';

type Found = FoundPage['products'][number];
type Column = {
  fact: FactName;
  label: string;
  show: 'money' | 'count' | 'change' | 'share' | 'rating';
};

const COLUMNS: readonly Column[] = [
  { fact: 'price', label: 'Buybox', show: 'money' },
  { fact: 'price_change_7d', label: '7 days', show: 'change' },
  { fact: 'price_change_30d', label: '30 days', show: 'change' },
  { fact: 'price_change_90d', label: '90 days', show: 'change' },
  { fact: 'lowest_in_days', label: 'Lowest in days', show: 'count' },
  { fact: 'rank', label: 'Rank', show: 'count' },
  { fact: 'rank_change_30d', label: 'Rank, 30 days', show: 'change' },
  { fact: 'units_per_day', label: 'Sold per day', show: 'count' },
  { fact: 'sellers', label: 'Sellers', show: 'count' },
  { fact: 'stock', label: 'Stock', show: 'count' },
  { fact: 'out_of_stock_90d', label: 'Out of stock', show: 'share' },
  { fact: 'rating', label: 'Rating', show: 'rating' },
  { fact: 'reviews', label: 'Reviews', show: 'count' },
];

type RowSort = { fact: FactName; isDescending: boolean };

/** Rows without the value stay last. */
function sorted(products: readonly Found[], sort: RowSort | null): readonly Found[] {
  if (sort === null) return products;
  const sign = sort.isDescending ? -1 : 1;
  return [...products].sort((a, b) => {
    const [left, right] = [a[sort.fact], b[sort.fact]];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return sign * (left - right);
  });
}

export function FoundTable(props: {
  page: FoundPage;
  address: AddressFilters;
  onCursor: (cursor: string) => void;
}) {
  const { page, address, onCursor } = props;
  const [sort, setSort] = useState<RowSort | null>(null);
  const toggle = (fact: FactName) =>
    setSort((now) => ({ fact, isDescending: now?.fact === fact && !now.isDescending }));
  return (
    <Card
      title={page.products.length === 1 ? '1 product' : `${page.products.length} products`}
      description="A click on a column sorts these rows, free of charge."
      flush
    >
      <DataTable caption="Products that match">
        <TableHead>
          <Th>Product</Th>
          {COLUMNS.map((column) => (
            <SortableTh key={column.fact} column={column} sort={sort} onSort={toggle} />
          ))}
          <Th align="end">Observed</Th>
        </TableHead>
        <TableBody>
          {sorted(page.products, sort).map((one) => (
            <FoundRow key={one.retailer_product_code} product={one} />
          ))}
        </TableBody>
      </DataTable>
      <div className="flex flex-wrap items-center justify-end gap-2 border-t border-line px-4 py-2.5">
        {address.cursor === '' ? null : (
          <Button size="sm" onClick={() => onCursor('')}>
            First page
          </Button>
        )}
        {page.next_cursor === null ? null : (
          <NextButton address={{ ...address, cursor: page.next_cursor }} onCursor={onCursor} />
        )}
      </div>
    </Card>
  );
}

function SortableTh(props: {
  column: Column;
  sort: RowSort | null;
  onSort: (fact: FactName) => void;
}) {
  const { column, sort, onSort } = props;
  const isSorted = sort?.fact === column.fact;
  const Arrow = sort?.isDescending ? ArrowDown : ArrowUp;
  return (
    <Th
      align="end"
      aria-sort={isSorted ? (sort.isDescending ? 'descending' : 'ascending') : undefined}
    >
      <button
        type="button"
        onClick={() => onSort(column.fact)}
        className="inline-flex items-center gap-1 rounded-sm hover:text-ink"
      >
        {isSorted ? <Arrow aria-hidden className="size-3" /> : null}
        {column.label}
      </button>
    </Th>
  );
}

function FoundRow({ product }: { product: Found }) {
  const { retailer_product_code: code, product_name: name, brand, last_updated } = product;
  return (
    <Tr>
      <Td className="min-w-56 max-w-80">
        <span className="block truncate">
          <TextLink to={paths.product(code)}>{name ?? `Product ${code}`}</TextLink>
        </span>
        <span className="block truncate text-xs text-muted">{brand ?? code}</span>
      </Td>
      {COLUMNS.map(({ fact, show }) => (
        <Td key={fact} align="end">
          <Value value={product[fact]} show={show} />
        </Td>
      ))}
      <Td align="end" className="whitespace-nowrap text-muted">
        <RelativeTime at={Date.parse(last_updated)} />
      </Td>
    </Tr>
  );
}

function Value({ value, show }: { value: number | null; show: Column['show'] }) {
  if (value === null) return <Absent reason="unknown" />;
  switch (show) {
    case 'money':
      return <Money usd={value} />;
    case 'count':
      return value % 1 === 0 ? (
        <Count of={value} />
      ) : (
        <span data-numeric>{countText(Math.round(value * 10) / 10)}</span>
      );
    case 'change':
      return <span data-numeric>{value === 0 ? '0%' : signedPercentText(value / 100)}</span>;
    case 'share':
      return <span data-numeric>{`${countText(Math.round(value * 10) / 10)}%`}</span>;
    case 'rating':
      return <span data-numeric>{ratingText(value)}</span>;
  }
}

/** Buys the next page, or shows it again for free. */
function NextButton(props: { address: AddressFilters; onCursor: (cursor: string) => void }) {
  const { address, onCursor } = props;
  const credits = usePrices().data?.finder;
  const paid = usePaid({ what: 'finder', code: JSON.stringify(finderRequest(address)) });
  const isStored = paid.stored !== null;
  return (
    <CostButton
      size="sm"
      credits={isStored ? 0 : credits}
      busy={paid.busy}
      disabled={paid.isLoading}
      onClick={() => {
        if (!isStored && credits !== undefined) paid.buy(credits);
        onCursor(address.cursor);
      }}
    >
      Next page
    </CostButton>
  );
}
