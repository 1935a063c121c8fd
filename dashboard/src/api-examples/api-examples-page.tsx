// The page "API".
import { Page, PageHeader } from '../design/page.tsx';

export function ApiExamplesPage() {
  return (
    <Page>
      <PageHeader title="API" />
    </Page>
  );
}
