// One product: facts, prices and sales. Data paid by tracking is free; the rest names its price.
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { paths } from '../app/paths.ts';
import { isProductCode } from '../app/product-number.ts';
import { ChartCard } from '../chart/chart-card.tsx';
import { ButtonLink } from '../design/button.tsx';
import { Card, Notice, Page, PageHeader } from '../design/page.tsx';
import { EmptyState, ErrorState, Skeleton, SkeletonText } from '../design/states.tsx';
import { type Tracked, useTrackedByCode, useTrackedProduct } from '../tracking/tracked-product.ts';
import { BuyboxCard } from './buybox-card.tsx';
import { FigureRow, PaidDetailsCard, ProductFigures, TrackedDetailsCard } from './details-card.tsx';
import { EventsCard } from './events-card.tsx';
import { FeesCard } from './fees-card.tsx';
import { usePaid } from './paid-responses.ts';
import { ProfitCard } from './profit-card.tsx';
import { PaidSellersCard, TrackedSellersCard } from './sellers-card.tsx';
import { StatisticsCard } from './statistics-card.tsx';
import { TrackActions, TrackingCard } from './tracking-card.tsx';
import { UnitsSoldCard } from './units-sold-card.tsx';

const BACK = { to: paths.products(), label: 'Products' };

export function ProductPage() {
  const { code = '' } = useParams({ strict: false });
  // Another product is another page: no state is shared between them.
  if (isProductCode(code)) return <ProductOf key={code} code={code} />;
  return (
    <Page>
      <PageHeader title="Product" back={BACK} />
      <EmptyState
        title="Not a product code"
        action={<ButtonLink to={paths.products()}>Look up a product</ButtonLink>}
      >
        A product code has 1 to 20 digits.
      </EmptyState>
    </Page>
  );
}

/** The data of a sample is free, so its page is complete at once. */
function useSampleData(code: string) {
  const parts = [
    usePaid({ what: 'details', code }),
    usePaid({ what: 'offers', code }),
    usePaid({ what: 'price-history', code }),
    usePaid({ what: 'offer-history', code }),
    usePaid({ what: 'units-sold', code, period: '1year' }),
  ];
  useEffect(() => {
    for (const { isFree, isLoading, stored, busy, error, buy } of parts)
      if (isFree && !isLoading && stored === null && !busy && error === null) buy(0);
  });
}

function ProductOf({ code }: { code: string }) {
  useSampleData(code);
  const tracked = useTrackedByCode(code);
  const paid = usePaid({ what: 'details', code });
  const details = paid.stored?.data;
  const row = tracked.data;
  const name = row?.product_name ?? details?.product_name ?? null;
  const brand = row?.brand ?? details?.brand ?? null;
  return (
    <Page>
      <PageHeader
        title={name ?? `Product ${code}`}
        back={BACK}
        // The line is always there, so that nothing moves when the name arrives.
        description={
          name !== null ? (
            [brand, code].filter((part) => part !== null).join(' · ')
          ) : tracked.isPending || paid.isLoading ? (
            <span className="block py-0.5">
              <Skeleton className="h-4 w-48" />
            </span>
          ) : (
            'Not looked up yet'
          )
        }
        actions={row === undefined ? null : <TrackActions code={code} tracked={row} />}
      />
      {row?.attention ? <Notice tone="caution">{row.attention}</Notice> : null}
      {row === undefined && tracked.isError ? (
        <Card>
          <ErrorState error={tracked.error} onRetry={tracked.refetch} />
        </Card>
      ) : (
        <Body code={code} name={name} row={row} />
      )}
    </Page>
  );
}

/**
 * `row` undefined: not known yet whether the product is tracked. The first cards are shown at once;
 * those below follow when their number and height are known, so that nothing moves.
 */
function Body({
  code,
  name,
  row,
}: {
  code: string;
  name: string | null;
  row: Tracked | null | undefined;
}) {
  const product = useTrackedProduct(row?.id);
  const now = row ? product.data : undefined;
  if (product.isError && now === undefined)
    return (
      <Card>
        <ErrorState error={product.error} onRetry={product.refetch} />
      </Card>
    );
  const isKnown = row === null || now !== undefined;
  return (
    <>
      {isKnown ? <ProductFigures code={code} product={now ?? null} /> : <LoadingFigures />}
      <ChartCard code={code} name={name} tracked={row} />
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_19rem]">
        <div className="flex min-w-0 flex-col gap-5">
          {isKnown ? <BuyboxCard code={code} /> : null}
          {isKnown ? <StatisticsCard code={code} /> : null}
          {now?.shown_tier === 0 ? <TrackedSellersCard product={now} /> : null}
          {isKnown && now?.shown_tier !== 0 ? (
            <PaidSellersCard code={code} tracked={row ?? null} />
          ) : null}
          {isKnown ? <UnitsSoldCard code={code} /> : null}
          {row && now ? <EventsCard code={code} /> : null}
        </div>
        {isKnown ? (
          <div className="flex min-w-0 flex-col gap-5">
            {row ? <TrackingCard tracked={row} /> : null}
            {now ? <TrackedDetailsCard product={now} /> : <PaidDetailsCard code={code} />}
            <FeesCard code={code} />
            <ProfitCard code={code} />
          </div>
        ) : (
          // On a narrow screen it would be below cards still to come, and be pushed down.
          <Card className="max-lg:hidden">
            <SkeletonText lines={7} />
          </Card>
        )}
      </div>
    </>
  );
}

const FIGURES = ['Buybox price', 'Units in stock', 'Sellers', 'Rating'];

const LoadingFigures = () => (
  <FigureRow>
    {FIGURES.map((name) => (
      <div key={name} className="flex h-16 flex-col gap-2 py-1">
        <Skeleton className="h-3 w-20" />
        <Skeleton className="h-6 w-24" />
      </div>
    ))}
  </FigureRow>
);
