// The page for looking up products, with the account's library.
import { useEffect } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { LibraryCard } from './library-card.tsx';
import { LookUpForm } from './look-up-form.tsx';
import { SearchCard } from './search-card.tsx';

export function ProductsPage() {
  const [{ q }] = useAddressSearch({ q: '' });
  useEffect(preloadProductPage, []);
  return (
    <Page>
      <PageHeader
        title="Products"
        description="Look up a product to see its price history, sales, sellers and fees."
      />
      <Card>
        {/* The command palette may set another number while the page is open. */}
        <LookUpForm key={q} initial={q} />
      </Card>
      <SearchCard />
      <LibraryCard />
    </Page>
  );
}

/** Preloads the product page, so that it opens at once. If this fails it is loaded again there. */
function preloadProductPage(): void {
  void import('./product-page.tsx').catch(() => {});
}
