// What is left of a sale after the fees and the seller's own costs.
import { useState } from 'react';
import { usePrices } from '../app/session.ts';
import { CostButton } from '../design/cost.tsx';
import { TextField } from '../design/field.tsx';
import { Money, Percent } from '../design/money.tsx';
import { Card, Facts, Notice } from '../design/page.tsx';
import { amountOf, type OwnCosts, ownCostsOf } from './own-costs.ts';
import { Arrival, BuyButton, FetchedFoot, PaidProblem } from './paid-parts.tsx';
import { type Profit, usePaid } from './paid-responses.ts';

const AMOUNT_ERROR = 'A number such as 12.50';
const errorOf = (text: string) =>
  text.trim() === '' || amountOf(text) !== undefined ? undefined : AMOUNT_ERROR;

export function ProfitCard({ code }: { code: string }) {
  const [cost, setCost] = useState('');
  const [shipping, setShipping] = useState('');
  const [price, setPrice] = useState('');
  const costs = ownCostsOf({ cost, shipping, price });
  const amount = { inputMode: 'decimal', suffix: 'USD', maxLength: 12 } as const;
  return (
    <Card title="Profit">
      <div className="flex flex-col gap-3">
        <TextField
          {...amount}
          label="Your cost"
          value={cost}
          onChange={setCost}
          error={errorOf(cost)}
        />
        <TextField
          {...amount}
          label="Your shipping (optional)"
          value={shipping}
          onChange={setShipping}
          error={errorOf(shipping)}
        />
        <TextField
          {...amount}
          label="Your price (optional)"
          value={price}
          onChange={setPrice}
          error={errorOf(price)}
        />
        {costs ? <Calculated code={code} costs={costs} /> : <NotYet />}
      </div>
    </Card>
  );
}

function NotYet() {
  const credits = usePrices().data?.profit;
  return (
    <CostButton credits={credits} disabled onClick={() => {}}>
      Calculate profit
    </CostButton>
  );
}

function Calculated({ code, costs }: { code: string; costs: OwnCosts }) {
  const paid = usePaid({ what: 'profit', code, costs });
  const credits = usePrices().data?.profit;
  const result = paid.stored?.data.results[0];
  return (
    <>
      <Arrival paid={paid} name="profit" />
      {result ? (
        <>
          {result.error ? (
            <Notice tone="caution">{result.error.message}</Notice>
          ) : (
            <ProfitFacts result={result} />
          )}
          <FetchedFoot paid={paid} credits={credits} />
        </>
      ) : (
        <BuyButton paid={paid} credits={credits}>
          Calculate profit
        </BuyButton>
      )}
      {paid.error ? <PaidProblem error={paid.error} /> : null}
    </>
  );
}

type ProfitResult = Profit['results'][number];

const PRICES = [
  { member: 'at_buybox', name: 'At the buybox price' },
  { member: 'at_price', name: 'At your price' },
  { member: 'at_typical', name: 'At the typical price of 90 days' },
] as const;

function ProfitFacts({ result }: { result: ProfitResult }) {
  return (
    <>
      <Facts
        className="[&_dd]:text-right"
        facts={[
          {
            name: <span className="font-medium text-ink">Break-even price</span>,
            value: (
              <span className="font-semibold">
                <Money usd={result.break_even_price} absent="no price covers the costs" />
              </span>
            ),
          },
        ]}
      />
      {PRICES.map(({ member, name }) => {
        const at = result[member];
        if (!at) return null;
        return (
          <section key={member} className="border-t border-line pt-2">
            <h3 className="mb-1 text-xs font-medium text-muted">
              {name}, <Money usd={at.price} />
            </h3>
            <Facts
              className="[&_dd]:text-right"
              facts={[
                { name: 'Fees', value: <Money usd={at.total_fees} /> },
                { name: 'Profit', value: <Money usd={at.profit} /> },
                { name: 'Margin', value: <Percent share={at.margin} /> },
                { name: 'Return', value: <Percent share={at.roi} absent="no costs" /> },
              ]}
            />
          </section>
        );
      })}
    </>
  );
}
