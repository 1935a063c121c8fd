// The page "Overview": what needs the customer, the biggest moves and latest events, then credits.
import { Page, PageHeader } from '../design/page.tsx';
import { AttentionCard } from './attention-card.tsx';
import { CreditsCard } from './credits-card.tsx';
import { EventsCard } from './events-card.tsx';
import { FirstSteps } from './first-steps.tsx';
import { MovesCard } from './moves-card.tsx';
import { UsageCard } from './usage-card.tsx';

export function OverviewPage() {
  return (
    <Page>
      <PageHeader title="Overview" />
      <FirstSteps />
      <AttentionCard />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <MovesCard />
        <EventsCard />
      </div>
      <CreditsCard />
      <UsageCard />
    </Page>
  );
}
