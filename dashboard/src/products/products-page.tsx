// The page for looking up products, with the account's library.
import { useEffect } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { paths } from '../app/paths.ts';
import { TextLink } from '../design/link.tsx';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { LibraryCard } from './library-card.tsx';
import { LookUpForm } from './look-up-form.tsx';
import { useSamples } from './paid-responses.ts';
import { SearchCard } from './search-card.tsx';

export function ProductsPage() {
  const [{ q, s: text }] = useAddressSearch({ q: '', s: '' });
  useEffect(preloadProductPage, []);
  return (
    <Page>
      <PageHeader
        title="Products"
        description="Find a product to see its price history, sales, sellers and fees."
      />
      <Card>
        {/* The command palette may set another number while the page is open. */}
        <LookUpForm key={q} initial={q === '' ? text : q} />
        <Samples />
      </Card>
      <SearchCard />
      <LibraryCard />
    </Page>
  );
}

/** Where a new customer can begin without paying. */
function Samples() {
  const samples = useSamples();
  if (samples.length === 0) return null;
  return (
    <p className="flex flex-wrap gap-x-3 gap-y-1 pt-2 text-xs text-muted">
      <span>Free samples:</span>
      {samples.map(({ retailer_product_code: code, product_name: name }) => (
        <TextLink key={code} to={paths.product(code)}>
          {name ?? `Product ${code}`}
        </TextLink>
      ))}
    </p>
  );
}

/** Preloads the product page, so that it opens at once. If this fails it is loaded again there. */
function preloadProductPage(): void {
  void import('./product-page.tsx').catch(() => {});
}
