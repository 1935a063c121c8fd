// The sellers with price and stock: from a day tracked at tier 0, else paid.

import { usePrices, useSession } from '../app/session.ts';
import { Badge } from '../design/badge.tsx';
import { Count, Money } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { RelativeTime } from '../design/time.tsx';
import type { Tracked, TrackedProduct } from '../tracking/tracked-product.ts';
import { newestHolder } from './newest-figures.ts';
import { Arrival, Fetched, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { usePaid } from './paid-responses.ts';

type Offer = TrackedProduct['offers'][number];

export function TrackedSellersCard({ product }: { product: TrackedProduct }) {
  const account = useSession().data?.account;
  return (
    <Card
      title="Sellers"
      description={
        product.last_updated ? (
          <>
            Seen <RelativeTime at={product.last_updated} />, paid by tracking
          </>
        ) : undefined
      }
      flush
    >
      <SellersTable
        offers={product.offers}
        buyboxSeller={product.buybox_seller}
        ownSeller={product.seller_name ?? account?.seller_name ?? null}
      />
    </Card>
  );
}

export function PaidSellersCard({ code, tracked }: { code: string; tracked: Tracked | null }) {
  const buybox = usePaid({ what: 'buybox-history', code }).stored?.data ?? null;
  const paid = usePaid({ what: 'offers', code });
  const credits = usePrices().data?.offers;
  const ownSeller = useSession().data?.account.seller_name ?? null;
  return (
    <Card
      title="Sellers"
      flush={paid.stored !== null}
      actions={paid.stored ? <Fetched paid={paid} credits={credits} /> : undefined}
    >
      <Arrival paid={paid} name="sellers" />
      {paid.stored ? (
        <>
          {paid.error ? (
            <div className="p-3">
              <PaidProblem error={paid.error} />
            </div>
          ) : null}
          <SellersTable
            offers={paid.stored.data.sellers}
            buyboxSeller={newestHolder(tracked, buybox)}
            ownSeller={ownSeller}
          />
        </>
      ) : (
        <PaidOffer paid={paid} credits={credits} label="Get sellers and stock">
          Every seller with price, shipping and units in stock.
        </PaidOffer>
      )}
    </Card>
  );
}

function SellersTable({
  offers,
  buyboxSeller,
  ownSeller,
}: {
  offers: readonly Offer[];
  buyboxSeller: string | null;
  ownSeller: string | null;
}) {
  if (offers.length === 0) return <Sentence>No seller offers this product at the moment.</Sentence>;
  const landed = ({ price, shipping }: Offer) => price + shipping;
  const cheapestFirst = offers.toSorted((a, b) => landed(a) - landed(b));
  return (
    <DataTable caption="Sellers with price and stock">
      <TableHead>
        <Th>Seller</Th>
        <Th align="end">Price</Th>
        <Th align="end" className="max-sm:hidden">
          Shipping
        </Th>
        <Th align="end">Stock</Th>
        <Th align="end" className="max-sm:hidden">
          Updated
        </Th>
      </TableHead>
      <TableBody>
        {cheapestFirst.map((offer) => (
          <Tr key={offer.seller_name}>
            <Td className="min-w-32">
              <span className="inline-flex flex-wrap items-center gap-x-1.5">
                {offer.seller_name}
                {offer.seller_name === buyboxSeller ? <Badge tone="accent">Buybox</Badge> : null}
                {offer.seller_name === ownSeller ? <Badge>You</Badge> : null}
              </span>
            </Td>
            <Td align="end">
              <Money usd={offer.price} />
              {offer.shipping > 0 ? (
                <span className="block text-2xs text-muted sm:hidden">
                  + <Money usd={offer.shipping} />
                </span>
              ) : null}
            </Td>
            <Td align="end" className="text-muted max-sm:hidden">
              {offer.shipping === 0 ? 'Free' : <Money usd={offer.shipping} />}
            </Td>
            <Td align="end">
              {offer.units_in_stock === 0 ? (
                <span className="whitespace-nowrap text-critical">Out of stock</span>
              ) : (
                <Count of={offer.units_in_stock} absent="stock unknown" />
              )}
            </Td>
            <Td align="end" className="text-muted max-sm:hidden">
              <RelativeTime at={offer.last_updated} />
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}

const Sentence = ({ children }: { children: string }) => (
  <p className="px-4 py-6 text-center text-sm text-muted">{children}</p>
);
