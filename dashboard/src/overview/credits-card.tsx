// Credits of this period: used, remaining, days until the refresh, and whether they last.
import { paths } from '../app/paths.ts';
import { useCredits } from '../app/session.ts';
import { ButtonLink } from '../design/button.tsx';
import { Meter } from '../design/chart.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { Card, Figure } from '../design/page.tsx';
import { ErrorState, Skeleton } from '../design/states.tsx';
import { Time } from '../design/time.tsx';
import { useForecast } from './use-forecast.ts';

export function CreditsCard() {
  const credits = useCredits();
  return (
    <Card
      title="Credits"
      actions={
        <ButtonLink size="sm" variant="quiet" to={paths.credits()}>
          Ledger and plan
        </ButtonLink>
      }
    >
      {credits.isPending ? (
        <CreditsSkeleton />
      ) : credits.isError ? (
        <ErrorState compact error={credits.error} onRetry={credits.refetch} />
      ) : (
        <CreditFigures {...credits.data} />
      )}
    </Card>
  );
}

type Credits = NonNullable<ReturnType<typeof useCredits>['data']>;

function CreditFigures({ credits, billing_period }: Credits) {
  const { total, used_this_month: used, remaining } = credits;
  const { current_period_start, next_refresh_date, days_until_refresh: days } = billing_period;
  return (
    <div className="flex flex-col gap-3">
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3">
        <Figure name="Left" value={countText(remaining)} note={`of ${creditsText(total)}`} />
        <Figure
          name="Used in this period"
          value={countText(used)}
          note={
            <>
              since <Time at={current_period_start} show="day" />
            </>
          }
        />
        <Figure
          name="Until refresh"
          value={`${countText(days)} ${days === 1 ? 'day' : 'days'}`}
          note={<Time at={next_refresh_date} />}
        />
      </div>
      <Meter
        label="Credits used"
        value={used}
        of={total}
        text={`${countText(used)} of ${creditsText(total)} used`}
      />
      <ForecastLine />
    </div>
  );
}

function ForecastLine() {
  const forecast = useForecast();
  if (forecast.kind === 'unknown') return null;
  const perDay = countText(Math.round(forecast.perDay));
  if (forecast.kind === 'runs-out')
    return (
      <p className="text-sm text-caution">
        At the current rate of {perDay} per day, the credits run out{' '}
        {forecast.isWithinDay ? (
          'within a day'
        ) : (
          <>
            on <Time at={forecast.atMs} show="day" />
          </>
        )}
        , before the refresh.
      </p>
    );
  return (
    <p className="text-sm text-muted">
      At the current rate of {perDay} per day, about {creditsText(forecast.leftAtRefresh)} will be
      left at the refresh.
    </p>
  );
}

function CreditsSkeleton() {
  return (
    <div role="status" className="flex flex-col gap-3">
      <span className="sr-only">Loading</span>
      <div className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3">
        {['left', 'used', 'until'].map((name) => (
          <div key={name} className="flex h-16 flex-col gap-2 py-1">
            <Skeleton className="h-3 w-16" />
            <Skeleton className="h-6 w-24" />
            <Skeleton className="h-3 w-20" />
          </div>
        ))}
      </div>
      <Skeleton className="h-1.5 w-full" />
      <Skeleton className="my-1 h-3 w-3/4" />
    </div>
  );
}
