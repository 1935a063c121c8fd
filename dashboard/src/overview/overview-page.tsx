// The page "Overview": credits, usage, products that need attention, latest events.
import { Page, PageHeader } from '../design/page.tsx';
import { AttentionCard } from './attention-card.tsx';
import { CreditsCard } from './credits-card.tsx';
import { EventsCard } from './events-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { UsageCard } from './usage-card.tsx';

export function OverviewPage() {
  return (
    <Page>
      <PageHeader title="Overview" />
      <FirstSteps />
      <CreditsCard />
      <UsageCard />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <AttentionCard />
        <EventsCard />
      </div>
    </Page>
  );
}
