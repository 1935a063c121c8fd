// How many events edited rules would have fired in the last days, compared with the current rules.
// Free.
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { useSettled } from '../app/use-settled.ts';
import { classNames } from '../design/class-names.ts';
import { countText } from '../design/money.tsx';
import { ErrorState, SkeletonText } from '../design/states.tsx';
import { SegmentedControl } from '../design/tabs.tsx';
import { type Comparison, compareCounts, type Rules } from './rules.ts';

/** The stored observations change with every collection, not with every keystroke. */
const STALE_MS = 60_000;

export function BackTest({
  id,
  rules,
  currentRules,
  seller,
  currentSeller,
}: {
  id: string;
  /** Edited rules; undefined while a field holds an invalid value. */
  rules: Rules | undefined;
  currentRules: Rules;
  /** The seller as typed; null for that of the account. */
  seller: string | null;
  currentSeller: string | null;
}) {
  const [days, setDays] = useState<'7' | '30' | '90'>('30');
  const current = { rules: currentRules, seller_name: currentSeller };
  const text = JSON.stringify({ rules: rules ?? currentRules, seller_name: seller });
  const settled = useSettled(text);
  const now = useBackTest(id, current, days);
  const edited = useBackTest(id, JSON.parse(settled) as Tested, days);
  const error = now.error ?? edited.error;
  return (
    <section aria-label="Back-test" className="rounded-md border border-line bg-sunken">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-2">
        <h3 className="text-sm font-medium text-ink">Back-test</h3>
        <SegmentedControl
          label="Back-test period"
          value={days}
          onChange={setDays}
          options={[
            { value: '7', label: '7 days' },
            { value: '30', label: '30 days' },
            { value: '90', label: '90 days' },
          ]}
        />
      </div>
      <div className="px-3 py-2.5" aria-live="polite">
        {error ? (
          <ErrorState
            compact
            error={error}
            onRetry={() => Promise.all([now.refetch(), edited.refetch()])}
          />
        ) : now.data && edited.data ? (
          <BackTestResult
            now={now.data.counts}
            edited={edited.data.counts}
            days={days}
            isEdited={settled !== JSON.stringify(current)}
            isOld={edited.isPlaceholderData || settled !== text}
          />
        ) : (
          <SkeletonText lines={4} />
        )}
      </div>
    </section>
  );
}

type Tested = { rules: Rules; seller_name: string | null };

const useBackTest = (id: string, tested: Tested, days: string) =>
  useQuery({
    queryKey: queryKey('product', 'backtest', id, tested, days),
    queryFn: ({ signal }) =>
      call('POST /retailer/oversight/products/{id}/backtest', {
        params: { id },
        body: { ...tested, days: Number(days) },
        signal,
      }),
    staleTime: STALE_MS,
    placeholderData: keepPreviousData,
  });

function BackTestResult(props: {
  now: Readonly<Record<string, number>>;
  edited: Readonly<Record<string, number>>;
  days: string;
  isEdited: boolean;
  isOld: boolean;
}) {
  const { days, isEdited, isOld } = props;
  const { rows, now, edited } = compareCounts(props.now, props.edited);
  const times = (count: number) => `${countText(count)} ${count === 1 ? 'time' : 'times'}`;
  return (
    <div className={classNames('flex flex-col gap-2', isOld && 'opacity-60')}>
      <p className="text-sm text-ink">
        {isEdited
          ? `Would have fired ${times(edited)} in ${days} days (now ${countText(now)}).`
          : `Fired ${times(now)} in ${days} days with the current rules.`}
      </p>
      {rows.length === 0 ? null : <Kinds rows={rows} isEdited={isEdited} />}
      <p className="text-xs text-muted">
        With the current tier, over the stored observations of this product.
      </p>
    </div>
  );
}

function Kinds({ rows, isEdited }: { rows: readonly Comparison[]; isEdited: boolean }) {
  return (
    <table className="w-full text-xs">
      <caption className="sr-only">Events by kind</caption>
      <thead className="text-muted">
        <tr>
          <th scope="col" className="py-0.5 text-left font-medium">
            Kind
          </th>
          {isEdited ? (
            <th scope="col" className="w-20 py-0.5 text-right font-medium">
              With these rules
            </th>
          ) : null}
          <th scope="col" className="w-14 py-0.5 text-right font-medium">
            Now
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ kind, edited, now }) => (
          <tr key={kind} className={edited === now ? 'text-muted' : 'text-ink'}>
            <td className="py-0.5 font-mono">{kind}</td>
            {isEdited ? (
              <td className="py-0.5 text-right tabular-nums">{countText(edited)}</td>
            ) : null}
            <td className="py-0.5 text-right tabular-nums">{countText(now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
