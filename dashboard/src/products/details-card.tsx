// The product's facts, from tracking or from a paid look-up.

import { useMemo } from 'react';
import { usePrices } from '../app/session.ts';
import { CopyButton } from '../design/copy-button.tsx';
import { Count, countText, Known, Money, ratingText } from '../design/money.tsx';
import { Card, Facts, Figure } from '../design/page.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import {
  newestPrice,
  newestSellers,
  newestStock,
  offersAtEnd,
  type PriceFigure,
  type SellersFigure,
  type StockFigure,
} from './newest-figures.ts';
import { Arrival, FetchedFoot, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type Details, usePaid } from './paid-responses.ts';

const NOT_LOOKED_UP = 'not looked up yet';

/** `product` null: not tracked. Bought data that is newer goes before what tracking saw. */
export function ProductFigures({
  code,
  product,
}: {
  code: string;
  product: TrackedProduct | null;
}) {
  const details = usePaid({ what: 'details', code }).stored?.data ?? null;
  const prices = usePaid({ what: 'price-history', code }).stored?.data.priceHistory ?? null;
  const stored = usePaid({ what: 'offers', code }).stored;
  const history = usePaid({ what: 'offer-history', code }).stored;
  const now = stored ? { atMs: stored.atMs, sellers: stored.data.sellers } : null;
  const atEnd = useMemo(() => (history ? offersAtEnd(history.data) : null), [history]);
  const offers = atEnd !== null && atEnd.atMs > (now?.atMs ?? 0) ? atEnd : now;
  const sources = { tracked: product, details, prices, offers };
  const absent = product ? 'no paid day yet' : NOT_LOOKED_UP;
  const rank = product?.rank;
  return (
    <FigureRow>
      <PriceTile figure={newestPrice(sources)} absent={absent} />
      <StockTile figure={newestStock(sources)} absent={absent} />
      {rank ? (
        <Figure name="Sales rank" value={`#${countText(rank.position)}`} note={rank.category} />
      ) : (
        <SellersTile figure={newestSellers(sources)} absent={absent} />
      )}
      <RatingFigure
        rating={product?.customer_rating ?? details?.customer_rating}
        reviews={product?.number_of_reviews ?? details?.number_of_reviews}
        absent={product || details ? undefined : NOT_LOOKED_UP}
      />
    </FigureRow>
  );
}

function PriceTile({ figure, absent }: { figure: PriceFigure | null; absent: string }) {
  if (figure === null)
    return (
      <Figure name="Buybox price" value={<Money usd={null} absent={absent} />} note={absent} />
    );
  const { price, seller, atMs } = figure;
  const who = price === null ? 'No buybox' : seller;
  return (
    <Figure
      name="Buybox price"
      value={<Money usd={price} absent="no buybox" />}
      note={
        <>
          {who === null ? null : `${who} · `}
          <RelativeTime at={atMs} />
        </>
      }
    />
  );
}

function StockTile({ figure, absent }: { figure: StockFigure | null; absent: string }) {
  if (figure === null)
    return (
      <Figure name="Units in stock" value={<Count of={null} absent={absent} />} note={absent} />
    );
  const isUnknown = figure.units === null;
  return (
    <Figure
      name="Units in stock"
      value={<Count of={figure.units} absent="unknown for some seller" />}
      note={
        <>
          {isUnknown ? 'Unknown for some seller · ' : 'All sellers · '}
          <RelativeTime at={figure.atMs} />
        </>
      }
    />
  );
}

function SellersTile({ figure, absent }: { figure: SellersFigure | null; absent: string }) {
  if (figure === null)
    return <Figure name="Sellers" value={<Count of={null} absent={absent} />} note={absent} />;
  return (
    <Figure
      name="Sellers"
      value={<Count of={figure.count} />}
      note={
        <>
          {figure.lowest === null ? null : (
            <>
              From <Money usd={figure.lowest} /> ·{' '}
            </>
          )}
          <RelativeTime at={figure.atMs} />
        </>
      }
    />
  );
}

function RatingFigure({
  rating,
  reviews,
  absent = 'no rating',
}: {
  rating: number | null | undefined;
  reviews: number | null | undefined;
  absent?: string | undefined;
}) {
  return (
    <Figure
      name="Rating"
      value={rating == null ? <Count of={null} absent={absent} /> : `${ratingText(rating)} of 5`}
      note={reviews == null ? absent : <Count of={reviews} unit={['review', 'reviews']} />}
    />
  );
}

export function FigureRow({ children }: { children: React.ReactNode }) {
  return (
    <Card>
      <div className="grid grid-cols-2 gap-x-4 gap-y-4 sm:grid-cols-4">{children}</div>
    </Card>
  );
}

export function TrackedDetailsCard({ product }: { product: TrackedProduct }) {
  return (
    <Card title="Details">
      <DetailFacts of={product} />
    </Card>
  );
}

export function PaidDetailsCard({ code }: { code: string }) {
  const paid = usePaid({ what: 'details', code });
  const credits = usePrices().data?.product_details;
  return (
    <Card title="Details">
      <Arrival paid={paid} name="details" />
      {paid.stored ? (
        <div className="flex flex-col gap-3">
          <DetailFacts of={paid.stored.data} />
          <FetchedFoot paid={paid} credits={credits} />
          {paid.error ? <PaidProblem error={paid.error} /> : null}
        </div>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get details">
          Name, brand, categories, UPC and EAN, buybox price, rating and reviews.
        </PaidOffer>
      )}
    </Card>
  );
}

type Described = Pick<
  Details,
  'brand' | 'categories' | 'upc' | 'ean' | 'retailer_product_code' | 'last_updated' | 'delisted_at'
>;

function DetailFacts({
  of,
}: {
  of: Omit<Described, 'last_updated'> & { last_updated: string | null };
}) {
  return (
    <Facts
      facts={[
        { name: 'Brand', value: <Known>{of.brand}</Known> },
        { name: 'Code', value: <Copied text={of.retailer_product_code} name="product code" /> },
        { name: 'UPC', value: <Copied text={of.upc} name="UPC" /> },
        { name: 'EAN', value: <Copied text={of.ean} name="EAN" /> },
        {
          name: 'Category',
          value: <Known>{of.categories.length === 0 ? null : of.categories.join(' › ')}</Known>,
        },
        ...(of.delisted_at
          ? [{ name: 'Delisted since', value: <Time at={of.delisted_at} show="day" /> }]
          : []),
        { name: 'Observed', value: <RelativeTime at={of.last_updated} absent="not yet" /> },
      ]}
    />
  );
}

function Copied({ text, name }: { text: string | null; name: string }) {
  if (text === null) return <Known absent={`has no ${name}`}>{null}</Known>;
  return (
    <span className="-my-1.5 inline-flex items-center gap-1">
      {text}
      <CopyButton text={text} name={name} />
    </span>
  );
}
