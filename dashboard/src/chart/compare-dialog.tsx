// Chooses the product to compare with: a tracked one, a bought one, or any code.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { isProductCode } from '../app/product-number.ts';
import { queryKey } from '../app/query-keys.ts';
import { usePrices } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { BuyButton, PaidProblem } from '../products/paid-parts.tsx';
import { useLibrary } from '../products/paid-responses.ts';
import type { useComparedBuybox } from './use-chart-sources.ts';

const CHOICES_MAX = 8;

export function CompareDialog({
  open,
  onClose,
  code,
  compared,
  other,
  onCompare,
}: {
  open: boolean;
  onClose: () => void;
  code: string;
  compared: string | null;
  other: ReturnType<typeof useComparedBuybox>;
  /** Percent makes prices of different size comparable. */
  onCompare: (code: string | null, isPercent: boolean) => void;
}) {
  const credits = usePrices().data?.price_history;
  const isMissing = compared !== null && other.series === null;
  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Compare with another product"
      footer={
        <>
          {compared === null ? null : (
            <Button className="mr-auto" onClick={() => onCompare(null, false)}>
              Stop comparing
            </Button>
          )}
          <Button variant="primary" onClick={onClose}>
            Done
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        <Choices code={code} compared={compared} onChoose={(next) => onCompare(next, true)} />
        {isMissing ? (
          <div className="flex flex-col gap-2">
            <p className="text-sm text-muted">
              You have no prices of {other.name ?? compared} yet.
            </p>
            <div>
              <BuyButton paid={other.prices} credits={credits}>
                Get price history
              </BuyButton>
            </div>
            {other.prices.error ? <PaidProblem error={other.prices.error} /> : null}
          </div>
        ) : compared === null ? null : (
          <p role="status" className="text-sm text-muted">
            Comparing with {other.name ?? compared}, in percent since the start of the shown range.
          </p>
        )}
      </div>
    </Dialog>
  );
}

function Choices({
  code,
  compared,
  onChoose,
}: {
  code: string;
  compared: string | null;
  onChoose: (code: string) => void;
}) {
  const [text, setText] = useState('');
  const tracked = useQuery({
    queryKey: queryKey('tracked', 'to-compare'),
    queryFn: ({ signal }) => call('GET /session/tracked', { query: { limit: 100 }, signal }),
  }).data;
  const library = useLibrary().data;
  const named = new Map<string, string>();
  for (const row of tracked ?? [])
    named.set(row.retailer_product_code, row.product_name ?? row.retailer_product_code);
  for (const { retailer_product_code: one, product_name: name } of library ?? [])
    if (one !== null) named.set(one, name ?? one);
  named.delete(code);
  const typed = text.trim().toLowerCase();
  const listed = [...named]
    .filter(([one, name]) => one.includes(typed) || name.toLowerCase().includes(typed))
    .slice(0, CHOICES_MAX);
  const isNewCode = isProductCode(typed) && typed !== code && !named.has(typed);
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label="Product"
        value={text}
        onChange={setText}
        placeholder="Name or code"
        hint="Your tracked and looked-up products, or the code of any product."
      />
      <ul className="flex flex-col" aria-label="Products to compare with">
        {[...listed, ...(isNewCode ? [[typed, `Product ${typed}`] as const] : [])].map(
          ([one, name]) => (
            <li key={one}>
              <button
                type="button"
                aria-pressed={one === compared}
                onClick={() => onChoose(one)}
                className="flex w-full items-baseline justify-between gap-3 rounded-sm px-2 py-1.5 text-left text-sm text-ink hover:bg-hover aria-pressed:bg-pressed"
              >
                <span className="truncate">{name}</span>
                <span className="text-xs text-faint tabular-nums">{one}</span>
              </button>
            </li>
          ),
        )}
      </ul>
    </div>
  );
}
