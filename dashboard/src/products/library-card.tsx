// The account's library: what was looked up, on any device. Opening it is free.
import { Library, Search } from 'lucide-react';
import { useMemo, useState } from 'react';
import { paths } from '../app/paths.ts';
import { operationText } from '../credits/ledger-words.ts';
import { Button } from '../design/button.tsx';
import { TextLink } from '../design/link.tsx';
import { Absent, Money } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime } from '../design/time.tsx';
import { type LibraryRow, libraryRows } from './library-list.ts';
import { useLibrary } from './paid-responses.ts';

const SHOWN_FIRST = 12;

export function LibraryCard() {
  const library = useLibrary();
  const rows = useMemo(() => libraryRows(library.data ?? []), [library.data]);
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? rows : rows.slice(0, SHOWN_FIRST);
  return (
    <Card
      title="Library"
      description="Data you bought, on all your devices. Opening it is free."
      flush
    >
      {rows.length > 0 ? (
        <>
          <LibraryTable rows={shown} />
          {shown.length < rows.length ? (
            <div className="border-t border-line px-4 py-2.5">
              <Button size="sm" variant="quiet" onClick={() => setWhole(true)}>
                Show all {rows.length}
              </Button>
            </div>
          ) : null}
        </>
      ) : library.isPending ? (
        <SkeletonRows rows={4} columns={3} />
      ) : library.isError ? (
        <ErrorState error={library.error} onRetry={library.refetch} compact />
      ) : (
        <EmptyState title="Your library is empty" icon={<Library aria-hidden />}>
          Products you look up are kept here. You pay once; after that they open for free.
        </EmptyState>
      )}
    </Card>
  );
}

function LibraryTable({ rows }: { rows: readonly LibraryRow[] }) {
  return (
    <DataTable caption="Library">
      <TableHead>
        <Th>Product</Th>
        <Th className="max-md:hidden">Data</Th>
        <Th align="end">
          <span className="max-sm:hidden">Buybox price at look-up</span>
          <span className="sm:hidden">Buybox</span>
        </Th>
        <Th align="end">Updated</Th>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={row.key}>
            <Td className="w-full max-w-0 sm:truncate">
              {row.kind === 'product' ? (
                <TextLink to={paths.product(row.code)}>
                  {row.name ?? `Product ${row.code}`}
                </TextLink>
              ) : (
                <TextLink to={paths.products({ s: row.text })}>
                  <Search aria-hidden className="mr-1.5 inline size-3.5" />
                  Search for “{row.text}”
                </TextLink>
              )}
            </Td>
            <Td className="whitespace-nowrap text-muted max-md:hidden">
              {row.kind === 'product' ? dataText(row.operations) : 'Search'}
            </Td>
            <Td align="end">
              {row.kind === 'product' ? (
                <Money usd={row.price?.usd ?? null} absent="no price in the data" />
              ) : (
                <Absent reason="a search" />
              )}
            </Td>
            <Td align="end" className="text-muted">
              <RelativeTime at={row.at} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}

const NAMED_MAX = 2;

/** "Price history, Offers and 3 more". */
function dataText(operations: readonly string[]): string {
  const named = operations.slice(0, NAMED_MAX).map(operationText).join(', ');
  const more = operations.length - NAMED_MAX;
  return more > 0 ? `${named} and ${more} more` : named;
}
