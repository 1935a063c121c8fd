// The product's facts, from tracking or from a paid look-up.

import { usePrices } from '../app/session.ts';
import { CopyButton } from '../design/copy-button.tsx';
import { Count, countText, Known, Money, ratingText } from '../design/money.tsx';
import { Card, Facts, Figure } from '../design/page.tsx';
import { RelativeTime, Time } from '../design/time.tsx';
import type { TrackedProduct } from '../tracking/tracked-product.ts';
import { Arrival, FetchedFoot, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type Details, usePaid } from './paid-responses.ts';

const NOT_LOOKED_UP = 'not looked up yet';

export function TrackedFigures({ product }: { product: TrackedProduct }) {
  const { rank, offers } = product;
  const unseen = product.last_updated === null ? 'no paid day yet' : null;
  return (
    <FigureRow>
      <Figure
        name="Buybox price"
        value={<Money usd={product.current_price} absent={unseen ?? 'no buybox'} />}
        note={
          product.buybox_seller ?? unseen ?? (product.current_price === null ? 'no buybox' : null)
        }
      />
      <Figure
        name="Units in stock"
        value={<Count of={product.units_in_stock} absent={unseen ?? 'unknown for some seller'} />}
        note={
          product.shown_tier === 0 ? (
            <Count of={offers.length} unit={['seller', 'sellers']} />
          ) : (
            (unseen ?? 'all sellers together')
          )
        }
      />
      <Figure
        name="Sales rank"
        value={rank ? `#${countText(rank.position)}` : <Count of={null} />}
        note={rank?.category}
      />
      <RatingFigure rating={product.customer_rating} reviews={product.number_of_reviews} />
    </FigureRow>
  );
}

export function PaidFigures({ code }: { code: string }) {
  const details = usePaid({ what: 'details', code }).stored?.data;
  const offers = usePaid({ what: 'offers', code }).stored?.data.sellers;
  const cheapest = offers?.length
    ? Math.min(...offers.map(({ price, shipping }) => price + shipping))
    : null;
  const stocks = offers?.map(({ units_in_stock: units }) => units);
  const isKnown = stocks?.every((units) => units !== null);
  const stock = isKnown ? stocks?.reduce<number>((sum, units) => sum + (units ?? 0), 0) : null;
  return (
    <FigureRow>
      <Figure
        name="Buybox price"
        value={<Money usd={details?.buybox_price} absent={details ? 'no buybox' : NOT_LOOKED_UP} />}
        note={details ? <RelativeTime at={details.last_updated} /> : NOT_LOOKED_UP}
      />
      <Figure
        name="Units in stock"
        value={<Count of={stock} absent={offers ? 'unknown for some seller' : NOT_LOOKED_UP} />}
        note={offers ? 'all sellers together' : NOT_LOOKED_UP}
      />
      <Figure
        name="Sellers"
        value={<Count of={offers?.length} absent={NOT_LOOKED_UP} />}
        note={
          offers
            ? cheapest && (
                <>
                  from <Money usd={cheapest} />
                </>
              )
            : NOT_LOOKED_UP
        }
      />
      <RatingFigure
        rating={details?.customer_rating}
        reviews={details?.number_of_reviews}
        absent={details ? undefined : NOT_LOOKED_UP}
      />
    </FigureRow>
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
