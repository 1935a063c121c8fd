// Searches all products by words. A search costs credits, so it starts with the button or Enter; a
// text that was searched before is shown again for free.
import { Search, SearchX } from 'lucide-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { paths } from '../app/paths.ts';
import { requestSearch, takeSearchRequest } from '../app/search-request.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { CostButton } from '../design/cost.tsx';
import { TextField } from '../design/field.tsx';
import { TextLink } from '../design/link.tsx';
import { Absent, Count, Money, ratingText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState } from '../design/states.tsx';
import { DataTable, TableBody, TableHead, Td, Th, Tr } from '../design/table-parts.tsx';
import { Arrival, Fetched, PaidProblem } from './paid-parts.tsx';
import { type Paid, type SearchPage, usePaid } from './paid-responses.ts';

const TEXT_CHARS_MAX = 200;

export function SearchCard() {
  const [{ s: text, after }, setAddress] = useAddressSearch({ s: '', after: '' });
  const credits = usePrices().data?.search;
  const paid = usePaid({ what: 'search', code: text, after });
  const { buy, isLoading } = paid;
  const isStored = paid.stored !== null;
  useEffect(() => {
    // The command palette has shown the price.
    if (credits === undefined || isLoading) return;
    if (takeSearchRequest(text) && !isStored) buy(credits);
  }, [text, credits, isLoading, isStored, buy]);
  return (
    <Card title="Search the catalogue" flush>
      <div className="flex flex-col gap-3 p-4">
        <SearchForm
          key={text}
          initial={text}
          paid={paid}
          credits={credits}
          onSearch={(next) => setAddress({ s: next, after: '' })}
        />
        {paid.error ? <PaidProblem error={paid.error} /> : null}
        <Arrival paid={paid} name="Results" />
      </div>
      {paid.stored === null ? null : (
        <Results
          page={paid.stored.data}
          isFirst={after === ''}
          onFirst={() => setAddress({ after: '' })}
          onNext={(next) => setAddress({ after: next })}
        />
      )}
    </Card>
  );
}

function SearchForm(props: {
  initial: string;
  paid: Paid<SearchPage>;
  credits: number | undefined;
  onSearch: (text: string) => void;
}) {
  const { initial, paid, credits, onSearch } = props;
  const [typed, setTyped] = useState(initial);
  const text = typed.trim().replace(/\s+/g, ' ');
  const isShown = text === initial && paid.stored !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text === '' || credits === undefined || paid.busy || paid.isLoading || isShown) return;
    if (text === initial) paid.buy(credits);
    else {
      // Bought when the address has changed; a text that is stored is only shown.
      requestSearch(text);
      onSearch(text);
    }
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-2 sm:flex-row sm:items-center">
      <TextField
        label="Words, brand or category"
        labelHidden
        placeholder="Words, brand or category"
        type="search"
        maxLength={TEXT_CHARS_MAX}
        value={typed}
        onChange={setTyped}
        icon={<Search aria-hidden />}
        className="flex-1"
      />
      {isShown ? (
        <div className="flex items-center justify-between gap-2">
          <Fetched paid={paid} credits={credits} />
        </div>
      ) : (
        <CostButton
          type="submit"
          variant="primary"
          credits={credits}
          busy={paid.busy}
          disabled={text === ''}
        >
          Search
        </CostButton>
      )}
    </form>
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
