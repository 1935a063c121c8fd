// The page "Webhooks".
import { Page, PageHeader } from '../design/page.tsx';

export function WebhooksPage() {
  return (
    <Page>
      <PageHeader title="Webhooks" />
    </Page>
  );
}
