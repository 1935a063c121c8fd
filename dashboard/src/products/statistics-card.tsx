// Statistics of price, rank and stock over 30, 90 and 365 days.
import type { ReactNode } from 'react';
import { usePrices } from '../app/session.ts';
import { Count, Money, Percent } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Time } from '../design/time.tsx';
import { Arrival, Fetched, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type ProductStatistics, usePaid } from './paid-responses.ts';

export function StatisticsCard({ code }: { code: string }) {
  const paid = usePaid({ what: 'stats', code });
  const credits = usePrices().data?.stats;
  const statistics = paid.stored?.data;
  return (
    <Card
      title="Statistics"
      description={statistics ? <LowestSince statistics={statistics} /> : undefined}
      actions={statistics ? <Fetched paid={paid} credits={credits} /> : undefined}
      flush={statistics !== undefined}
    >
      <Arrival paid={paid} name="statistics" />
      {statistics ? (
        <>
          <WindowTable windows={statistics.windows} />
          {paid.error ? <PaidProblem error={paid.error} /> : null}
        </>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get statistics">
          Average, typical, lowest and highest price, rank and out-of-stock time over 30, 90 and 365
          days.
        </PaidOffer>
      )}
    </Card>
  );
}

function LowestSince({ statistics: { current } }: { statistics: ProductStatistics }) {
  if (current.lowest_since === null) return 'Nobody holds the buybox now';
  if (current.lowest_since === current.price_observed_at) {
    return (
      <>
        <Money usd={current.price} /> now
      </>
    );
  }
  return (
    <>
      <Money usd={current.price} /> now, the lowest since{' '}
      <Time at={current.lowest_since} show="day" />
    </>
  );
}

type StatisticsWindow = ProductStatistics['windows'][number];

const ROWS: readonly { name: string; value: (of: StatisticsWindow) => ReactNode }[] = [
  { name: 'Average price', value: ({ price }) => <Money usd={price.average} /> },
  { name: 'Typical price', value: ({ price }) => <Money usd={price.typical} /> },
  { name: 'Lowest price', value: ({ price }) => <Extreme of={price.min} /> },
  { name: 'Highest price', value: ({ price }) => <Extreme of={price.max} /> },
  {
    name: 'Price changes',
    value: ({ price }) => <Count of={price.increases + price.decreases} />,
  },
  {
    name: 'Without a buybox',
    value: ({ price }) => <Percent share={price.suppressed_share} />,
  },
  {
    name: 'Out of stock',
    value: ({ stock }) => <Percent share={stock.out_of_stock_share} />,
  },
  { name: 'Average rank', value: ({ rank }) => <Count of={rank.average} /> },
  {
    name: 'Time observed',
    value: ({ price }) => <Percent share={price.observed_share} />,
  },
];

function Extreme({ of }: { of: StatisticsWindow['price']['min'] }) {
  if (of === null) return <Money usd={null} />;
  return (
    <>
      <Money usd={of.price} />
      <span className="block text-xs text-muted">
        <Time at={of.at} show="day" />
      </span>
    </>
  );
}

function WindowTable({ windows }: { windows: readonly StatisticsWindow[] }) {
  return (
    <DataTable caption="Statistics by window">
      <TableHead>
        <Th>Window</Th>
        {windows.map(({ days }) => (
          <Th key={days} align="end">
            {days} days
          </Th>
        ))}
      </TableHead>
      <TableBody>
        {ROWS.map(({ name, value }) => (
          <Tr key={name}>
            <Td className="text-muted">{name}</Td>
            {windows.map((window) => (
              <Td key={window.days} align="end">
                {value(window)}
              </Td>
            ))}
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}
