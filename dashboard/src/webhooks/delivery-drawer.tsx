// One delivery in full: the request, and the response of every attempt.
import { useQuery } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { call, type ResponseOf } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { Badge } from '../design/badge.tsx';
import { Button } from '../design/button.tsx';
import { CodeBlock, CopyButton } from '../design/copy-button.tsx';
import { Drawer } from '../design/dialog.tsx';
import { TextLink } from '../design/link.tsx';
import { Bytes, Duration } from '../design/money.tsx';
import { Facts } from '../design/page.tsx';
import { ErrorState, SkeletonText } from '../design/states.tsx';
import { Time } from '../design/time.tsx';
import { eventWords } from '../events/event-words.ts';
import { prettyBody } from './delivery-log.ts';
import { digestWords } from './digest-choice.ts';
import { sentence } from './endpoint-health.ts';
import { explanationFacts } from './event-explanation.ts';
import { useRetry } from './webhook-calls.ts';
import { OutcomeMark, ResponseStatus } from './webhook-marks.tsx';

type Delivery = ResponseOf<'GET /session/deliveries/{delivery_id}'>;

export function DeliveryDrawer({
  deliveryId,
  onClose,
}: {
  /** Null: closed. */
  deliveryId: string | null;
  onClose: () => void;
}) {
  const delivery = useQuery({
    queryKey: queryKey('deliveries', 'one', deliveryId),
    queryFn: ({ signal }) =>
      call('GET /session/deliveries/{delivery_id}', {
        params: { delivery_id: deliveryId ?? '' },
        query: { explain: true },
        signal,
      }),
    enabled: deliveryId !== null,
  });
  // A toast would cover the button; the result appears among the attempts.
  const retry = useRetry({ toasts: false });
  const isRequested = retry.isSuccess && retry.variables.deliveryId === deliveryId;
  const received = delivery.data?.state === 'succeeded';
  return (
    <Drawer
      open={deliveryId !== null}
      onClose={onClose}
      width="lg"
      title={delivery.data?.event ?? 'Delivery'}
      footer={
        <>
          <p role="status" className="mr-auto text-sm text-muted">
            {isRequested ? 'Requested. The attempt appears above.' : ''}
          </p>
          <Button
            variant={received ? 'secondary' : 'primary'}
            icon={<RotateCw aria-hidden className="size-3.5" />}
            busy={retry.isPending}
            disabled={delivery.data === undefined}
            onClick={() => deliveryId !== null && retry.mutate({ deliveryId })}
          >
            {received ? 'Send again' : 'Retry now'}
          </Button>
        </>
      }
    >
      {delivery.data !== undefined ? (
        <DeliveryInFull delivery={delivery.data} />
      ) : delivery.isError ? (
        <ErrorState error={delivery.error} onRetry={delivery.refetch} />
      ) : (
        <SkeletonText lines={8} />
      )}
    </Drawer>
  );
}

const STATES = {
  succeeded: <Badge tone="positive">Received</Badge>,
  failed: <Badge tone="critical">Given up</Badge>,
  pending: <Badge tone="caution">Will be retried</Badge>,
} satisfies Record<Delivery['state'], ReactNode>;

function DeliveryInFull({ delivery }: { delivery: Delivery }) {
  const { attempts, payload, explanation } = delivery;
  return (
    <div className="flex flex-col gap-5">
      <Facts facts={factsOf(delivery)} />
      <Part title={attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}>
        {attempts.length === 0 ? (
          <p className="text-sm text-muted">Not sent yet.</p>
        ) : (
          <ol className="divide-y divide-line rounded-md border border-line">
            {attempts.toReversed().map((attempt) => (
              <AttemptEntry key={attempt.id} attempt={attempt} />
            ))}
          </ol>
        )}
      </Part>
      {explanation == null ? null : (
        <Part title="Why it fired">
          <Facts facts={explanationFacts(explanation)} />
        </Part>
      )}
      <Part title="Payload">
        {payload === null ? (
          <p className="text-sm text-muted">No longer stored: events are kept for 30 days.</p>
        ) : (
          <CodeBlock code={JSON.stringify(payload, null, 2)} name="payload" />
        )}
      </Part>
    </div>
  );
}

function factsOf({ state, attempts, payload, delivery_id, event_id }: Delivery) {
  const underway = attempts.at(-1)?.outcome === 'pending';
  return [
    {
      name: 'State',
      value: underway ? <Badge tone="accent">Sending</Badge> : STATES[state],
    },
    ...whatHappened(payload),
    { name: 'Delivery', value: <Identifier name="delivery id" id={delivery_id} /> },
    { name: 'Event', value: <Identifier name="event id" id={event_id} /> },
  ];
}

function whatHappened(payload: Delivery['payload']) {
  const data = payload?.data as Readonly<Record<string, unknown>> | undefined;
  if (typeof payload?.type !== 'string' || data === undefined) return [];
  if (payload.type === 'webhook.test')
    return [{ name: 'What', value: 'A test delivery, without a real event.' }];
  if (payload.type === 'events.digest') return [{ name: 'What', value: digestWords(data) }];
  const code = String(data.retailer_product_code ?? '');
  const name = typeof data.product_name === 'string' ? data.product_name : code;
  return [
    { name: 'What', value: eventWords({ type: payload.type, data }) },
    { name: 'Product', value: <TextLink to={paths.product(code)}>{name}</TextLink> },
  ];
}

function Identifier({ id, name }: { id: string; name: string }) {
  return (
    <span className="-my-1 flex items-center gap-1 coarse:-my-2">
      <span title={id} className="min-w-0 truncate font-mono text-xs">
        {id}
      </span>
      <CopyButton text={id} name={name} />
    </span>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-semibold text-ink">{title}</h3>
      {children}
    </section>
  );
}

function AttemptEntry({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { response_body: body, reason } = attempt;
  return (
    <li className="flex min-w-0 flex-col gap-2 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <span className="font-medium text-ink">Attempt {attempt.attempt}</span>
        <OutcomeMark outcome={attempt.outcome} />
        <ResponseStatus status={attempt.status} outcome={attempt.outcome} />
        <span className="text-muted">
          <Duration ms={attempt.duration_ms} absent="not measured" />
        </span>
        <span className="text-muted">
          <Bytes of={attempt.payload_bytes} />
        </span>
        <span className="text-muted sm:ml-auto">
          <Time at={attempt.timestamp} show="second" />
        </span>
      </div>
      <p className="font-mono text-xs break-all text-muted">POST {attempt.endpoint}</p>
      {reason === null ? null : <p className="text-sm text-critical">{sentence(reason)}</p>}
      {attempt.outcome === 'pending' ? null : body === null || body === '' ? (
        <p className="text-xs text-muted">The response had no body.</p>
      ) : (
        <div className="flex min-w-0 flex-col gap-1">
          <h4 className="text-xs font-medium text-ink">Response</h4>
          <CodeBlock code={prettyBody(body)} name={`response of attempt ${attempt.attempt}`} />
        </div>
      )}
    </li>
  );
}
