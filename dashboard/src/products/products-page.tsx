// Where products are looked up, with those looked up last.
import { useEffect } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { LookUpForm } from './look-up-form.tsx';
import { RecentLookUps } from './recent-look-ups.tsx';

export function ProductsPage() {
  const [{ q }] = useAddressSearch({ q: '' });
  useEffect(preloadProductPage, []);
  return (
    <Page>
      <PageHeader
        title="Products"
        description="Look a product up, then see its price history, sales, sellers and fees."
      />
      <Card>
        {/* The palette may bring another number while the page is open. */}
        <LookUpForm key={q} initial={q} />
      </Card>
      <RecentLookUps />
    </Page>
  );
}

/** So that a product opens at once when its answer comes. What fails here is loaded again there. */
function preloadProductPage(): void {
  void import('./product-page.tsx').catch(() => {});
}
