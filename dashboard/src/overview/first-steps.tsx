// The first steps of a new account, until all are done.
import { useQuery } from '@tanstack/react-query';
import { ArrowRight, Check } from 'lucide-react';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { useServerNowMs } from '../app/server-clock.ts';
import { usePlan, usePrices, useSession } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { classNames } from '../design/class-names.ts';
import { Link } from '../design/link.tsx';
import { creditsText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { Skeleton } from '../design/states.tsx';
import { keysQuery } from '../keys/api-keys.ts';
import { webhooksQuery } from '../webhooks/webhook-calls.ts';
import { forgetSteps, isNewAccount, stepsForgotten } from './first-steps-shown.ts';

type Step = { title: string; detail: string; to: string; isDone: boolean | undefined };

export function FirstSteps() {
  const { data: session } = useSession();
  const nowMs = useServerNowMs();
  const account = session?.account;
  if (!account || !isNewAccount(account.created_at, nowMs) || stepsForgotten(account.id))
    return null;
  return <StepsCard accountId={account.id} />;
}

function StepsCard({ accountId }: { accountId: string }) {
  const [isHidden, setHidden] = useState(false);
  const steps = useSteps();
  const isKnown = steps.every(({ isDone }) => isDone !== undefined);
  const done = steps.filter(({ isDone }) => isDone).length;
  if (isHidden) return null;
  if (isKnown && done === steps.length) return null;
  const hide = () => {
    forgetSteps(accountId);
    setHidden(true);
  };
  return (
    <Card
      title="First steps"
      description={isKnown ? `${done} of ${steps.length} done` : 'Four steps to the first event'}
      flush
      actions={
        <Button size="sm" variant="quiet" onClick={hide}>
          Hide
        </Button>
      }
    >
      <ol className="grid divide-line max-sm:divide-y sm:grid-cols-2 lg:grid-cols-4 lg:divide-x">
        {steps.map((step, index) => (
          <StepLine key={step.title} step={step} number={index + 1} />
        ))}
      </ol>
    </Card>
  );
}

function StepLine({ step, number }: { step: Step; number: number }) {
  const { title, detail, to, isDone } = step;
  return (
    <li className="flex">
      <Link
        to={to}
        className="group/step flex flex-1 gap-2.5 px-4 py-3 hover:bg-hover focus-visible:-outline-offset-2"
      >
        <span
          aria-hidden
          className={classNames(
            'mt-0.5 grid size-4.5 shrink-0 place-items-center rounded-full text-2xs tabular-nums',
            isDone ? 'bg-positive-soft text-positive' : 'border border-control-line text-muted',
          )}
        >
          {isDone ? <Check className="size-3" /> : number}
        </span>
        <span className="min-w-0">
          <span
            className={classNames(
              'flex items-center gap-1 text-sm font-medium',
              isDone ? 'text-muted line-through' : 'text-ink',
            )}
          >
            {title}
            {isDone ? <span className="sr-only"> (done)</span> : null}
            {isDone === false ? (
              <ArrowRight
                aria-hidden
                className="size-3.5 text-faint opacity-0 group-hover/step:opacity-100"
              />
            ) : null}
          </span>
          {isDone === undefined ? (
            <Skeleton className="mt-1.5 h-3 w-32" />
          ) : (
            <span className="block text-xs text-muted">{detail}</span>
          )}
        </span>
      </Link>
    </li>
  );
}

function useSteps(): Step[] {
  const { data: prices } = usePrices();
  const { data: plan } = usePlan();
  const keys = useQuery(keysQuery);
  const webhooks = useQuery(webhooksQuery);
  const requests = useQuery({
    queryKey: queryKey('ledger', 'first-request'),
    queryFn: ({ signal }) =>
      call('GET /session/ledger', { query: { kind: 'request', limit: 1 }, signal }),
  });
  const isTracking = plan && plan.tracked_products > 0;
  const cost = prices?.product_details ?? 1;
  return [
    {
      title: 'Create an API key',
      detail: 'For your programs. It is shown only once.',
      to: paths.settings(),
      isDone: keys.data?.some(({ revoked_at }) => revoked_at === null),
    },
    {
      title: 'Look up a product',
      detail: `By name, UPC, EAN, code or address, for ${creditsText(cost)}; samples are free.`,
      to: paths.products(),
      // A user who tracks products by their codes needs no look-up.
      isDone: isTracking || (requests.data && requests.data.length > 0),
    },
    {
      title: 'Track it',
      detail: 'From 10 credits per day. Adding is free.',
      to: paths.tracking({ add: '1' }),
      isDone: isTracking,
    },
    {
      title: 'Register a webhook',
      detail: 'To be notified of changes as they are detected.',
      to: paths.webhooks(),
      isDone: webhooks.data && webhooks.data.length > 0,
    },
  ];
}
