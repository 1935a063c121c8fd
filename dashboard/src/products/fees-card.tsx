// The fees of selling the product, for each way of selling it.
import { useState } from 'react';
import { usePrices } from '../app/session.ts';
import { SelectField } from '../design/choice.tsx';
import { Money } from '../design/money.tsx';
import { Card, Facts, Notice } from '../design/page.tsx';
import { RelativeTime } from '../design/time.tsx';
import { Arrival, BuyButton, FetchedFoot, PaidProblem } from './paid-parts.tsx';
import { type Fees, type SellerType, usePaid } from './paid-responses.ts';

const SELLERS: readonly { value: SellerType | 'listed'; label: string }[] = [
  { value: 'listed', label: 'As currently sold' },
  { value: 'marketplace', label: 'Marketplace seller' },
  { value: 'fulfilled', label: 'Fulfilled by the marketplace' },
  { value: 'first_party', label: 'First party' },
];

export function FeesCard({ code }: { code: string }) {
  const [seller, setSeller] = useState<SellerType | 'listed'>('listed');
  const sellerType = seller === 'listed' ? null : seller;
  const paid = usePaid({ what: 'fees', code, sellerType });
  const credits = usePrices().data?.fees;
  return (
    <Card title="Fees">
      <Arrival paid={paid} name="fees" />
      <div className="flex flex-col gap-3">
        <SelectField label="Sold as" value={seller} onChange={setSeller} options={SELLERS} />
        {paid.stored ? (
          <>
            <FeeFacts fees={paid.stored.data} />
            <FetchedFoot paid={paid} credits={credits} />
          </>
        ) : (
          <BuyButton paid={paid} credits={credits}>
            Get fees
          </BuyButton>
        )}
        {paid.error ? <PaidProblem error={paid.error} /> : null}
      </div>
    </Card>
  );
}

function FeeFacts({ fees }: { fees: Fees }) {
  return (
    <>
      <Facts
        className="[&_dd]:text-right"
        facts={[
          { name: 'Referral', value: <Money usd={fees.referral_fee} /> },
          { name: 'Closing', value: <Money usd={fees.closing_fee} /> },
          { name: 'Shipping', value: <Money usd={fees.shipping_fee} /> },
          {
            name: <span className="font-medium text-ink">Total</span>,
            value: (
              <span className="font-semibold">
                <Money usd={fees.total_fees} />
              </span>
            ),
          },
        ]}
      />
      <p className="text-xs text-muted">
        At the buybox price of <RelativeTime at={fees.last_updated} />, by the schedule of{' '}
        {fees.category}.{fees.promotion === null ? '' : ` Lowered by ${fees.promotion}.`}
      </p>
      {fees.unsettled ? (
        <Notice tone="caution">Public sources do not state this fee completely.</Notice>
      ) : null}
    </>
  );
}
