// Tries a condition on one tracked product while it is typed: how often it would have matched, or
// what is wrong with it.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { queryKey } from '../app/query-keys.ts';
import { useSettled } from '../app/use-settled.ts';
import { countText } from '../design/money.tsx';
import { RelativeTime } from '../design/time.tsx';
import type { Tracked } from './tracked-product.ts';

const DAYS = 30;

/** The product that a rule for these tags is tried on: the first active one. */
export const triedOn = (rows: readonly Tracked[], tags: readonly string[]): Tracked | undefined => {
  const fits = rows.filter(
    (row) => tags.length === 0 || tags.some((tag) => row.tags.includes(tag)),
  );
  return fits.find(({ status }) => status === 'active') ?? fits[0];
};

export function ConditionTrial(props: { condition: string; row: Tracked | undefined }) {
  const { condition, row } = props;
  const settled = useSettled(condition);
  const trial = useQuery({
    queryKey: queryKey('product', 'condition', row?.id, settled),
    queryFn: ({ signal }) =>
      call('POST /retailer/oversight/products/{id}/backtest', {
        params: { id: row?.id ?? '' },
        body: { condition: settled, days: DAYS },
        signal,
      }),
    enabled: row !== undefined && settled !== '',
    retry: false,
    placeholderData: keepPreviousData,
  });
  if (condition === '') return null;
  if (row === undefined)
    return <p className="text-xs text-muted">Track a product with these tags to try it.</p>;
  return (
    <p aria-live="polite" className="min-h-4 text-xs">
      {trial.isError ? (
        <span className="text-critical">{explain(trial.error).detail}</span>
      ) : trial.data?.condition === undefined ? (
        <span className="text-muted">Trying it on {nameOf(row)}…</span>
      ) : (
        <span className={trial.data.condition.matches === 0 ? 'text-caution' : 'text-muted'}>
          Would have matched {timesText(trial.data.condition.matches)} in {DAYS} days on{' '}
          {nameOf(row)}
          {trial.data.condition.last_matched_at === null ? null : (
            <>
              , last <RelativeTime at={trial.data.condition.last_matched_at} />
            </>
          )}
          .
        </span>
      )}
    </p>
  );
}

const nameOf = (row: Tracked) => row.product_name ?? row.retailer_product_code;
const timesText = (count: number) => `${countText(count)} ${count === 1 ? 'time' : 'times'}`;
