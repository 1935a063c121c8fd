// The columns of the tracked products, for a wide screen and for a phone.
import { SlidersHorizontal } from 'lucide-react';
import { paths } from '../app/paths.ts';
import { StatusDot } from '../design/badge.tsx';
import { classNames } from '../design/class-names.ts';
import { Link } from '../design/link.tsx';
import { countText, creditsText, Known, Money } from '../design/money.tsx';
import type { Column } from '../design/table-column.ts';
import { RelativeTime } from '../design/time.tsx';
import { COLUMN_NAMES, type ColumnId, type TableSettings } from './table-settings.ts';
import { type TierPrices, tierName } from './tier-words.tsx';
import type { Tracked } from './tracked-product.ts';
import { ChangeCell, RankCell, SparklineCell } from './trend-cells.tsx';
import { attentionTone } from './urgency.ts';

export const nameOf = (row: Tracked) => row.product_name ?? row.retailer_product_code;

type ColumnOptions = { prices: TierPrices | undefined; onEdit: (id: string) => void };

/** The columns that the user shows; compact rows have one line each. */
export function wideColumns(
  { prices, onEdit }: ColumnOptions,
  { hidden, density }: Pick<TableSettings, 'hidden' | 'density'>,
): Column<Tracked>[] {
  const isCompact = density === 'compact';
  const chosen = [
    ...stateColumns(prices, isCompact),
    ...priceColumns(isCompact),
    ...timeColumns(),
  ].filter(({ id }) => !hidden.some((one) => one === id));
  return [
    {
      id: 'name',
      header: 'Product',
      sortable: true,
      cell: (row) => (isCompact ? <ProductLine row={row} /> : <ProductCell row={row} />),
    },
    ...chosen,
    editColumn(onEdit, EDIT_WIDTH),
  ];
}

type TrackedColumn = Column<Tracked> & { id: ColumnId };

const stateColumns = (prices: TierPrices | undefined, isCompact: boolean): TrackedColumn[] => [
  {
    id: 'tier',
    header: COLUMN_NAMES.tier,
    width: 90,
    sortable: true,
    cell: (row) =>
      isCompact ? tierName(row.tier, prices) : <TierCell row={row} prices={prices} />,
  },
  {
    id: 'status',
    header: COLUMN_NAMES.status,
    width: 132,
    sortable: true,
    cell: (row) =>
      isCompact ? (
        <StatusLine row={row} />
      ) : (
        <div className="leading-4.5">
          <Status row={row} />
          <Attention row={row} />
        </div>
      ),
  },
];

const priceColumns = (isCompact: boolean): TrackedColumn[] => [
  {
    id: 'price',
    header: COLUMN_NAMES.price,
    width: 84,
    align: 'end',
    sortable: true,
    cell: (row) => <Price row={row} />,
  },
  {
    id: 'trend',
    header: COLUMN_NAMES.trend,
    width: 104,
    cell: (row) => <SparklineCell code={row.retailer_product_code} />,
  },
  {
    id: 'change_24h',
    header: COLUMN_NAMES.change_24h,
    width: 84,
    align: 'end',
    cell: (row) => <ChangeCell code={row.retailer_product_code} over="change_24h" />,
  },
  {
    id: 'change_7d',
    header: COLUMN_NAMES.change_7d,
    width: 84,
    align: 'end',
    cell: (row) => <ChangeCell code={row.retailer_product_code} over="change_7d" />,
  },
  {
    id: 'rank',
    header: COLUMN_NAMES.rank,
    width: 78,
    align: 'end',
    cell: (row) => <RankCell code={row.retailer_product_code} />,
  },
  {
    id: 'holder',
    header: COLUMN_NAMES.holder,
    width: 124,
    cell: (row) => (
      <span
        title={row.buybox_seller ?? undefined}
        className={isCompact ? undefined : 'line-clamp-2 leading-4.5 whitespace-normal'}
      >
        <Known absent={whyNoPrice(row)}>{row.buybox_seller}</Known>
      </span>
    ),
  },
  {
    id: 'stock',
    header: COLUMN_NAMES.stock,
    width: 78,
    align: 'end',
    sortable: true,
    cell: (row) => <Stock row={row} />,
  },
];

const timeColumns = (): TrackedColumn[] => [
  {
    id: 'updated',
    header: COLUMN_NAMES.updated,
    width: 106,
    sortable: true,
    cell: (row) => <RelativeTime at={row.last_updated} absent="no paid day yet" />,
  },
  {
    id: 'due',
    header: COLUMN_NAMES.due,
    width: 108,
    sortable: true,
    cell: (row) => <RelativeTime due at={row.next_due_at} absent={whyNotDue(row)} />,
  },
];

/** On a phone one cell holds the name and what needs attention, the other the figures. */
export function phoneColumns({ prices, onEdit }: ColumnOptions): Column<Tracked>[] {
  return [
    {
      id: 'name',
      header: 'Product',
      sortable: true,
      cell: (row) => (
        <>
          <ProductCell row={row} />
          {row.attention === null ? (
            <div className="truncate text-xs text-muted">{tierName(row.tier, prices)}</div>
          ) : (
            <Attention row={row} isAlone />
          )}
        </>
      ),
    },
    {
      id: 'price',
      header: 'Price',
      width: 84,
      align: 'end',
      sortable: true,
      cell: (row) => (
        <>
          <Price row={row} />
          <div className="text-xs text-muted">
            <Stock row={row} /> {row.units_in_stock === null ? null : 'left'}
          </div>
          <div className="text-xs text-muted">
            <RelativeTime at={row.last_updated} absent="no paid day yet" />
          </div>
        </>
      ),
    },
    editColumn(onEdit, EDIT_WIDTH_PHONE),
  ];
}

const EDIT_WIDTH = 56;
const EDIT_WIDTH_PHONE = 64;

const editColumn = (onEdit: (id: string) => void, width: number): Column<Tracked> => ({
  id: 'edit',
  header: 'Edit',
  width,
  align: 'end',
  // A tooltip component for every visible row slows scrolling down; a title attribute does not.
  cell: (row) => (
    <button
      type="button"
      aria-label={`Edit tracking of ${nameOf(row)}`}
      title="Edit tracking (e)"
      onClick={() => onEdit(row.id)}
      className="-mr-1 inline-grid size-7 place-items-center rounded-md text-muted hover:bg-pressed hover:text-ink coarse:size-9"
    >
      <SlidersHorizontal aria-hidden className="size-4" />
    </button>
  ),
});

function ProductLine({ row }: { row: Tracked }) {
  const name = nameOf(row);
  return (
    <Link
      to={paths.product(row.retailer_product_code)}
      title={[name, row.retailer_product_code, ...row.tags.map((tag) => `#${tag}`)].join(' · ')}
      className="block truncate rounded-sm font-medium text-ink hover:underline"
    >
      {name}
    </Link>
  );
}

function StatusLine({ row }: { row: Tracked }) {
  return row.attention === null ? <Status row={row} /> : <Attention row={row} isAlone isLine />;
}

function ProductCell({ row }: { row: Tracked }) {
  const name = nameOf(row);
  return (
    <div className="min-w-0 leading-4.5">
      <Link
        to={paths.product(row.retailer_product_code)}
        title={name}
        className={classNames(
          'line-clamp-2 rounded-sm font-medium whitespace-normal text-ink hover:underline',
          // On a phone the row is shared with what needs attention.
          row.attention !== null && 'max-md:line-clamp-1',
        )}
      >
        {name}
      </Link>
      <div className="truncate text-xs text-muted">
        {row.retailer_product_code}
        {row.brand ? ` · ${row.brand}` : ''}
        {row.tags.length === 0 ? null : (
          <span title={row.tags.join(', ')} className="text-accent-ink">
            {' · '}
            {row.tags.map((tag) => `#${tag}`).join(' ')}
          </span>
        )}
      </div>
    </div>
  );
}

function TierCell({ row, prices }: { row: Tracked; prices: TierPrices | undefined }) {
  const price = prices?.find(({ tier }) => tier === row.tier);
  return (
    <div
      className="leading-4.5"
      title={price ? `Tier ${row.tier}, ${creditsText(price.credits_per_day)} per day` : undefined}
    >
      {tierName(row.tier, prices)}
      <div className="text-xs text-muted">
        {row.status === 'suspended'
          ? 'not charged'
          : price
            ? `${countText(price.credits_per_day)} per day`
            : ''}
      </div>
    </div>
  );
}

const Status = ({ row }: { row: Tracked }) =>
  row.status === 'active' ? (
    <StatusDot tone="positive">Active</StatusDot>
  ) : (
    <StatusDot tone="caution">Suspended</StatusDot>
  );

const Price = ({ row }: { row: Tracked }) => (
  <Money usd={row.current_price} absent={whyNoPrice(row)} />
);

function Stock({ row }: { row: Tracked }) {
  if (row.units_in_stock === null)
    return <Known absent={row.last_updated === null ? 'no paid day yet' : 'unknown'}>{null}</Known>;
  return <span data-numeric>{countText(row.units_in_stock)}</span>;
}

/** Alone it also states the status. */
function Attention(props: { row: Tracked; isAlone?: boolean; isLine?: boolean }) {
  const { row, isAlone = false, isLine = false } = props;
  if (row.attention === null) return null;
  return (
    <div
      title={row.attention}
      className={classNames(
        isLine ? 'truncate text-xs' : 'line-clamp-2 text-xs leading-4 whitespace-normal',
        attentionTone(row) === 'critical' ? 'text-critical' : 'text-caution',
      )}
    >
      {isAlone && row.status === 'suspended' ? 'Suspended. ' : ''}
      {row.attention}
    </div>
  );
}

const whyNoPrice = (row: Tracked) => (row.last_updated === null ? 'no paid day yet' : 'no buybox');

const whyNotDue = (row: Tracked) =>
  row.status === 'suspended' ? 'suspended, not collected' : 'not scheduled yet';
