// The table of recent look-ups, from this browser and from the account's ledger.
import { useQuery } from '@tanstack/react-query';
import { Package } from 'lucide-react';
import { useMemo } from 'react';
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { TextLink } from '../design/link.tsx';
import { Money } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime } from '../design/time.tsx';
import { useKept } from './paid-responses.ts';
import { type RecentLookUp, recentLookUps } from './recent-look-up.ts';

const SHOWN_MAX = 20;
const LEDGER_MAX = 100;

export function RecentLookUps() {
  const stored = useKept('details');
  const ledger = useQuery({
    queryKey: queryKey('ledger', 'look-ups'),
    queryFn: ({ signal }) =>
      call('GET /session/ledger', {
        query: { kind: 'request', operation: 'details', limit: LEDGER_MAX },
        signal,
      }),
  });
  const rows = useMemo(
    () => recentLookUps(stored, ledger.data ?? [], SHOWN_MAX),
    [stored, ledger.data],
  );
  return (
    <Card title="Recent look-ups" flush>
      {rows.length > 0 ? (
        <LookUpsTable rows={rows} />
      ) : ledger.isPending ? (
        <SkeletonRows rows={4} columns={3} />
      ) : ledger.isError ? (
        <ErrorState error={ledger.error} onRetry={ledger.refetch} compact />
      ) : (
        <EmptyState title="Nothing looked up yet" icon={<Package aria-hidden />}>
          Products that you or your API keys look up are listed here.
        </EmptyState>
      )}
    </Card>
  );
}

function LookUpsTable({ rows }: { rows: readonly RecentLookUp[] }) {
  return (
    <DataTable caption="Recent look-ups">
      <TableHead>
        <Th>Product</Th>
        <Th className="max-sm:hidden">Code</Th>
        <Th align="end">Buybox then</Th>
        <Th align="end">Looked up</Th>
      </TableHead>
      <TableBody>
        {rows.map((row) => (
          <Tr key={row.code}>
            <Td className="w-full max-w-0 sm:truncate">
              <TextLink to={paths.product(row.code)}>{row.name ?? `Product ${row.code}`}</TextLink>
            </Td>
            <Td className="text-muted tabular-nums max-sm:hidden">{row.code}</Td>
            <Td align="end">
              <Money
                usd={row.price}
                absent={row.isStored ? 'no buybox' : 'details not stored in this browser'}
              />
            </Td>
            <Td align="end" className="text-muted">
              <RelativeTime at={row.atMs} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}
