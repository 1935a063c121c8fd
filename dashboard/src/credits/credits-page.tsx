// The page "Credits": balance, plan, and the ledger.
import { Page, PageHeader } from '../design/page.tsx';
import { BalanceCard } from './balance-card.tsx';
import { CostsCard } from './costs-card.tsx';
import { LedgerCard } from './ledger-card.tsx';
import { PlanCard } from './plan-card.tsx';

export function CreditsPage() {
  return (
    <Page>
      <PageHeader title="Credits" />
      <div className="grid gap-5 lg:grid-cols-2">
        <BalanceCard />
        <PlanCard />
      </div>
      <CostsCard />
      <LedgerCard />
    </Page>
  );
}
