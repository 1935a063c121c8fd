// The page "Overview".
import { Page, PageHeader } from '../design/page.tsx';

export function OverviewPage() {
  return (
    <Page>
      <PageHeader title="Overview" />
    </Page>
  );
}
