// The results of a search by words. A search costs credits, so a link to one does not start it; a
// text that was searched before is shown again for free.
import { SearchX } from 'lucide-react';
import { useEffect } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { paths } from '../app/paths.ts';
import { takeSearchRequest } from '../app/search-request.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { CostButton } from '../design/cost.tsx';
import { TextLink } from '../design/link.tsx';
import { Absent, Count, Money, ratingText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, SkeletonText } from '../design/states.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Arrival, Fetched, PaidOffer, PaidProblem } from './paid-parts.tsx';
import { type SearchPage, usePaid } from './paid-responses.ts';

/** What matches the words in the address of the page. */
export function SearchCard() {
  const [{ s: text, after }, setAddress] = useAddressSearch({ s: '', after: '' });
  const credits = usePrices().data?.search;
  const paid = usePaid({ what: 'search', code: text, after });
  const { buy, isLoading } = paid;
  const isStored = paid.stored !== null;
  useEffect(() => {
    if (credits === undefined || isLoading) return;
    // The form or the command palette has shown the price.
    if (takeSearchRequest(text) && !isStored) buy(credits);
  }, [text, credits, isLoading, isStored, buy]);
  if (text === '') return null;
  return (
    <Card
      title={`Results for “${text}”`}
      flush
      actions={isStored ? <Fetched paid={paid} credits={credits} /> : undefined}
    >
      <Arrival paid={paid} name="Results" />
      {paid.stored === null ? (
        <div className="p-4">
          {paid.busy ? (
            <SkeletonText lines={4} />
          ) : (
            <PaidOffer paid={paid} credits={credits} label="Search">
              Products whose name, brand or category matches, best sellers first.
            </PaidOffer>
          )}
        </div>
      ) : (
        <Results
          page={paid.stored.data}
          isFirst={after === ''}
          onFirst={() => setAddress({ after: '' })}
          onNext={(next) => setAddress({ after: next })}
        />
      )}
      {paid.stored !== null && paid.error ? <PaidProblem error={paid.error} /> : null}
    </Card>
  );
}

function Results(props: {
  page: SearchPage;
  isFirst: boolean;
  onFirst: () => void;
  onNext: (after: string) => void;
}) {
  const { page, isFirst, onFirst, onNext } = props;
  if (page.products.length === 0)
    return (
      <EmptyState title="No product matches" icon={<SearchX aria-hidden />}>
        Nothing was charged. Try fewer or other words, or look up a product by its number.
      </EmptyState>
    );
  return (
    <>
      <ResultsTable products={page.products} />
      <div className="flex flex-wrap items-center justify-between gap-3 border-t border-line px-4 py-2.5">
        <p className="text-xs text-muted">
          {page.products.some(({ matched_by }) => matched_by === 'similar')
            ? 'Includes products that match with typing errors.'
            : 'Best sellers first.'}
        </p>
        <div className="flex gap-2">
          {isFirst ? null : (
            <Button size="sm" onClick={onFirst}>
              First page
            </Button>
          )}
          {page.next === null ? null : <NextButton after={page.next} onNext={onNext} />}
        </div>
      </div>
    </>
  );
}

/** Buys the next page, or shows it again for free. */
function NextButton({ after, onNext }: { after: string; onNext: (after: string) => void }) {
  const [{ s: text }] = useAddressSearch({ s: '' });
  const credits = usePrices().data?.search;
  const paid = usePaid({ what: 'search', code: text, after });
  const isStored = paid.stored !== null;
  return (
    <CostButton
      size="sm"
      credits={isStored ? 0 : credits}
      busy={paid.busy}
      disabled={paid.isLoading}
      onClick={() => {
        if (!isStored && credits !== undefined) paid.buy(credits);
        onNext(after);
      }}
    >
      Next page
    </CostButton>
  );
}

function ResultsTable({ products }: { products: SearchPage['products'] }) {
  return (
    <DataTable caption="Search results">
      <TableHead>
        <Th>Product</Th>
        <Th className="max-md:hidden">Brand</Th>
        <Th align="end">Buybox</Th>
        <Th align="end">Rank</Th>
        <Th align="end" className="max-sm:hidden">
          Rating
        </Th>
      </TableHead>
      <TableBody>
        {products.map((one) => (
          <Tr key={one.retailer_product_code}>
            <Td className="w-full max-w-0 sm:truncate">
              <TextLink to={paths.product(one.retailer_product_code)}>
                {one.product_name ?? `Product ${one.retailer_product_code}`}
              </TextLink>
            </Td>
            <Td className="whitespace-nowrap text-muted max-md:hidden">{one.brand}</Td>
            <Td align="end">
              <Money usd={one.buybox_price} absent="no buybox" />
            </Td>
            <Td align="end">
              <Count of={one.rank} absent="no rank" />
            </Td>
            <Td align="end" className="max-sm:hidden">
              {one.customer_rating === null ? (
                <Absent reason="not rated" />
              ) : (
                <span data-numeric>{ratingText(one.customer_rating)}</span>
              )}
            </Td>
          </Tr>
        ))}
      </TableBody>
    </DataTable>
  );
}
