// The page "Products".
import { Page, PageHeader } from '../design/page.tsx';

export function ProductsPage() {
  return (
    <Page>
      <PageHeader title="Products" />
    </Page>
  );
}
