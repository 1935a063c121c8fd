// Sends the events that a webhook missed since a time, and reports how many.

import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useState } from 'react';
import { call } from '../app/api-client.ts';
import { explain } from '../app/api-problem.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { refresh } from '../app/query-keys.ts';
import { serverNowMs } from '../app/server-clock.ts';
import { Button } from '../design/button.tsx';
import { RadioCards } from '../design/choice.tsx';
import { Dialog } from '../design/dialog.tsx';
import { TextField } from '../design/field.tsx';
import { countText } from '../design/money.tsx';
import { Notice } from '../design/page.tsx';
import type { Webhook } from './event-choice.ts';
import { KEPT_MS, localTimeText, type Span, sinceOf } from './recover-since.ts';

const SPANS = [
  { value: 'hour', title: 'The last hour' },
  { value: 'day', title: 'The last 24 hours' },
  { value: 'week', title: 'The last 7 days' },
  { value: 'time', title: 'Since a time', detail: 'Up to 30 days back.' },
] as const;

type Props = { webhook: Webhook; open: boolean; onClose: () => void };

export function RecoverDialog({ webhook, open, onClose }: Props) {
  const form = useId();
  const client = useQueryClient();
  const recover = useOnceMutation({
    mutationFn: (since: string) =>
      call('POST /retailer/webhooks/{id}/recover', { params: { id: webhook.id }, body: { since } }),
    // A second click would send another instant.
    identify: () => 'recover',
    onSuccess: () => refresh(client, 'deliveries', 'webhooks'),
  });
  const close = () => {
    recover.reset();
    onClose();
  };
  return (
    <Dialog
      open={open}
      onClose={close}
      title="Recover missed events"
      description="Sends all subscribed events since then that this webhook has not received. Received events are not sent again."
      footer={
        recover.isSuccess ? (
          <Button variant="primary" onClick={close}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={close}>Cancel</Button>
            <Button variant="primary" type="submit" form={form} busy={recover.isPending}>
              Send missed events
            </Button>
          </>
        )
      }
    >
      {recover.isSuccess ? (
        <Recovered deliveries={recover.data.deliveries} paused={webhook.status === 'Paused'} />
      ) : (
        <SinceForm
          id={form}
          failure={recover.isError ? explain(recover.error).detail : null}
          onSince={(since) => recover.mutate(since)}
        />
      )}
    </Dialog>
  );
}

function SinceForm({
  id,
  failure,
  onSince,
}: {
  id: string;
  failure: string | null;
  onSince: (since: string) => void;
}) {
  const [span, setSpan] = useState<Span>('day');
  const [time, setTime] = useState('');
  const [wrong, setWrong] = useState<string | undefined>();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = sinceOf({ span, time }, serverNowMs());
    setWrong('wrong' in chosen ? chosen.wrong : undefined);
    if ('since' in chosen) onSince(chosen.since);
  };
  return (
    <form id={id} onSubmit={submit} noValidate className="flex flex-col gap-3">
      {failure === null ? null : <Notice tone="critical">{failure}</Notice>}
      <RadioCards legend="Since" value={span} onChange={setSpan} cards={SPANS} />
      {span === 'time' ? (
        <TextField
          label="Date and time"
          type="datetime-local"
          value={time}
          onChange={setTime}
          min={localTimeText(serverNowMs() - KEPT_MS)}
          max={localTimeText(serverNowMs())}
          hint="In your time zone."
          error={wrong}
        />
      ) : null}
    </form>
  );
}

function Recovered({ deliveries, paused }: { deliveries: number; paused: boolean }) {
  if (deliveries === 0) return <p role="status">No events were missed; nothing will be sent.</p>;
  const amount = `${countText(deliveries)} ${deliveries === 1 ? 'delivery' : 'deliveries'}`;
  return (
    <p role="status" className="text-sm">
      <span className="font-medium text-ink">{amount} will be sent</span>
      {paused ? ' as soon as you resume this webhook.' : ', starting now. They appear in the log.'}
    </p>
  );
}
