// The page "Oversight".
import { Page, PageHeader } from '../design/page.tsx';

export function OversightPage() {
  return (
    <Page>
      <PageHeader title="Oversight" />
    </Page>
  );
}
