// The page "Settings".
import { Page, PageHeader } from '../design/page.tsx';

export function SettingsPage() {
  return (
    <Page>
      <PageHeader title="Settings" />
    </Page>
  );
}
