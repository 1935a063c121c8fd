// The page "Product".
import { Page, PageHeader } from '../design/page.tsx';

export function ProductPage() {
  return (
    <Page>
      <PageHeader title="Product" />
    </Page>
  );
}
