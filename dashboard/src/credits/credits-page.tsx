// The page "Credits".
import { Page, PageHeader } from '../design/page.tsx';

export function CreditsPage() {
  return (
    <Page>
      <PageHeader title="Credits" />
    </Page>
  );
}
