// The page "Webhook".
import { Page, PageHeader } from '../design/page.tsx';

export function WebhookPage() {
  return (
    <Page>
      <PageHeader title="Webhook" />
    </Page>
  );
}
