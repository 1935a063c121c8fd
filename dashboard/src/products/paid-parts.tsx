// The parts around a paid response: the offer, its age, and errors.
import type { ReactNode } from 'react';
import { ApiProblem, explain } from '../app/api-problem.ts';
import { paths } from '../app/paths.ts';
import { CostButton } from '../design/cost.tsx';
import { TextLink } from '../design/link.tsx';
import { countText, creditsText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import { SkeletonText } from '../design/states.tsx';
import { Age } from '../design/time.tsx';
import type { Paid } from './paid-responses.ts';

type Purchase = { paid: Paid<unknown>; credits: number | undefined };

/** In an empty card: what the user would get, and the button with its price. */
export function PaidOffer({
  paid,
  credits,
  label,
  children,
  choice,
}: Purchase & { label: string; children: ReactNode; choice?: ReactNode }) {
  // What the library has may still arrive; nothing is offered before.
  if (paid.isLoading) return <SkeletonText lines={2} />;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <p className="min-w-0 flex-1 basis-60 text-sm text-muted">{children}</p>
        <div className="flex flex-wrap items-center gap-2">
          {choice}
          <BuyButton paid={paid} credits={credits}>
            {label}
          </BuyButton>
        </div>
      </div>
      {paid.error ? <PaidProblem error={paid.error} /> : null}
    </div>
  );
}

/** In a card's header or footer: the age of the response, and a button to buy a new one. */
export function Fetched({ paid, credits }: Purchase) {
  if (paid.stored === null) return null;
  return (
    <>
      <span className="text-xs text-muted">
        From your library, <Age at={paid.stored.atMs} />
      </span>
      <BuyButton paid={paid} credits={credits} size="sm" variant="quiet">
        Refresh
      </BuyButton>
    </>
  );
}

/** The same below the facts of a narrow card. */
export function FetchedFoot(purchase: Purchase) {
  return (
    <div className="border-t border-line pt-2">
      <div className="-mx-2.5 flex flex-wrap items-center justify-between gap-x-2 [&>span]:pl-2.5">
        <Fetched {...purchase} />
      </div>
    </div>
  );
}

export function BuyButton({
  paid,
  credits,
  children,
  size,
  variant,
}: Purchase & {
  children: ReactNode;
  size?: 'sm' | 'md';
  variant?: 'primary' | 'secondary' | 'quiet';
}) {
  const cost = paid.isFree && credits !== undefined ? 0 : credits;
  return (
    <CostButton
      credits={cost}
      busy={paid.busy}
      size={size ?? 'md'}
      variant={variant ?? 'secondary'}
      onClick={() => {
        if (cost !== undefined) paid.buy(cost);
      }}
    >
      {children}
    </CostButton>
  );
}

export function PaidProblem({ error, action }: { error: unknown; action?: ReactNode }) {
  const { title, detail } = explain(error);
  const problem = error instanceof ApiProblem ? error : null;
  const isOffline = problem === null && !navigator.onLine;
  // Without a response it is unknown whether the request was charged.
  const mayBeCharged = problem === null ? !isOffline : problem.code === 'outcome_unknown';
  return (
    <div role="alert" className="w-full text-left">
      <Notice tone={problem?.status === 404 ? 'caution' : 'critical'} action={action}>
        <span className="font-medium">{title}.</span> {paidText(problem) ?? detail}{' '}
        {mayBeCharged || problem?.status === 402 ? (
          <TextLink to={paths.credits()}>See your credits</TextLink>
        ) : null}
      </Notice>
    </div>
  );
}

/** Errors whose members say more to a user than the message for programs; null for any other. */
function paidText(problem: ApiProblem | null): string | null {
  const { credits_required: required, credits_remaining: remaining } = problem?.details ?? {};
  switch (problem?.code) {
    case 'insufficient_credits':
      return `This costs ${creditsText(Number(required))} and you have ${countText(Number(remaining))} left. Nothing was charged.`;
    case 'max_credits_exceeded':
      return `The price is ${creditsText(Number(required))} now. Reload the page. Nothing was charged.`;
    case 'product_not_found':
      return 'No product has this number. Nothing was charged.';
    default:
      return null;
  }
}

/** Announces to screen readers that a response arrived. */
export function Arrival({ paid, name }: { paid: Paid<unknown>; name: string }) {
  return (
    <p role="status" className="sr-only">
      {paid.busy ? `Fetching ${name}` : paid.stored ? `${name} shown` : ''}
    </p>
  );
}
