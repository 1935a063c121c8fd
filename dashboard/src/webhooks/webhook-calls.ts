// Queries and actions of webhooks: pause, resume, test, remove, retry a delivery.

import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey, refresh } from '../app/query-keys.ts';
import { toast } from '../design/toast.tsx';
import type { Webhook } from './event-choice.ts';
import { testOutcome } from './test-outcome.ts';

export const webhooksQuery = queryOptions({
  queryKey: queryKey('webhooks'),
  queryFn: ({ signal }) => call('GET /retailer/webhooks', { signal }),
});

export const webhookQuery = (id: string) =>
  queryOptions({
    queryKey: queryKey('webhooks', id),
    queryFn: ({ signal }) => call('GET /retailer/webhooks/{id}', { params: { id }, signal }),
  });

type Reactions = {
  onTest?: (id: string, deliveryId: string) => void;
  onRecover?: () => void;
};

/** `onTest` gets the id of the delivery, to show it; `onRecover` is offered after resuming. */
export function useWebhookActions({ onTest, onRecover }: Reactions = {}) {
  const client = useQueryClient();
  const setStatus = useOnceMutation({
    mutationFn: ({ id, status }: { id: string; status: Webhook['status'] }) =>
      call('PATCH /retailer/webhooks/{id}', { params: { id }, body: { status } }),
    onSuccess: (changed) => {
      client.setQueryData(webhookQuery(changed.id).queryKey, changed);
      const recover = onRecover && { label: 'Recover missed events', onSelect: onRecover };
      if (changed.status === 'Active') toast.done('Webhook resumed', recover);
      else toast.done('Webhook paused');
      return refresh(client, 'webhooks');
    },
    onError: toast.failed,
  });
  const test = useOnceMutation({
    mutationFn: ({ id }: { id: string }) =>
      call('POST /retailer/webhooks/{id}/test', { params: { id } }),
    onSuccess: ({ delivery_id }, { id }) => {
      const show = onTest && ({ label: 'Show', onSelect: () => onTest(id, delivery_id) } as const);
      toast.done('Test sent. Waiting for the response…', show);
      void testOutcome(delivery_id).then((outcome) => {
        if (outcome.isReceived) toast.done(outcome.text, show);
        else toast.failed(outcome.text);
        return refresh(client, 'deliveries', 'webhooks');
      });
    },
    onError: toast.failed,
  });
  const remove = useOnceMutation({
    mutationFn: ({ id }: { id: string }) =>
      call('DELETE /retailer/webhooks/{id}', { params: { id } }),
    onSuccess: (_, { id }) => {
      toast.done('Webhook removed');
      client.removeQueries({ queryKey: webhookQuery(id).queryKey });
      client.setQueryData(webhooksQuery.queryKey, (webhooks) =>
        webhooks?.filter((webhook) => webhook.id !== id),
      );
    },
  });
  return { setStatus, test, remove };
}

export function useRetry({ toasts = true }: { toasts?: boolean } = {}) {
  const client = useQueryClient();
  return useOnceMutation({
    mutationFn: ({ deliveryId }: { deliveryId: string }) =>
      call('POST /retailer/webhooks/deliveries/{delivery_id}/retry', {
        params: { delivery_id: deliveryId },
      }),
    onSuccess: () => {
      if (toasts) toast.done('Retrying');
      return refresh(client, 'deliveries', 'webhooks');
    },
    onError: toast.failed,
  });
}
