// The page of one webhook: its health, actions and deliveries.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams, useRouter } from '@tanstack/react-router';
import { useCallback, useState } from 'react';
import { useAddressSearch } from '../app/address-search.ts';
import { call } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { paths } from '../app/paths.ts';
import { ConfirmDialog } from '../design/dialog.tsx';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { ErrorState, SkeletonRows } from '../design/states.tsx';
import { DeliveriesCard } from './deliveries-card.tsx';
import { DeliveryDrawer } from './delivery-drawer.tsx';
import type { Webhook } from './event-choice.ts';
import { keepNewSecret, NewSecretCard } from './new-secret.tsx';
import { RecoverDialog } from './recover-dialog.tsx';
import { RemoveWebhookDialog } from './remove-webhook.tsx';
import { useWebhookActions, webhookQuery } from './webhook-calls.ts';
import { EditWebhookDialog } from './webhook-form.tsx';
import {
  PausedNotice,
  WebhookFacts,
  WebhookHeader,
  type WebhookWindow,
} from './webhook-health.tsx';

const BACK = { to: paths.webhooks(), label: 'Webhooks' };

export function WebhookPage() {
  const { id = '' } = useParams({ strict: false });
  const webhook = useQuery(webhookQuery(id));
  if (webhook.data !== undefined) return <ShownWebhook webhook={webhook.data} />;
  return (
    <Page wide>
      <PageHeader title="Webhook" back={BACK} />
      <Card flush>
        {webhook.isError ? (
          <ErrorState error={webhook.error} onRetry={webhook.refetch} />
        ) : (
          <SkeletonRows rows={10} columns={5} />
        )}
      </Card>
    </Page>
  );
}

function ShownWebhook({ webhook }: { webhook: Webhook }) {
  const { id } = webhook;
  const [search, setSearch] = useAddressSearch({ event: '', outcome: '', delivery: '' });
  const [shown, setShown] = useState<WebhookWindow | null>(null);
  const openDelivery = useCallback((delivery: string) => setSearch({ delivery }), [setSearch]);
  const { setStatus, test } = useWebhookActions({
    onTest: (_, delivery) => openDelivery(delivery),
    onRecover: () => setShown('recover'),
  });
  return (
    <Page wide>
      <WebhookHeader
        webhook={webhook}
        back={BACK}
        testing={test.isPending}
        changing={setStatus.isPending}
        onTest={() => test.mutate({ id })}
        onSetStatus={(status) => setStatus.mutate({ id, status })}
        onShow={setShown}
      />
      <PausedNotice webhook={webhook} />
      <NewSecretCard id={id} />
      <WebhookFacts webhook={webhook} />
      <DeliveriesCard
        id={id}
        filters={{ event: search.event, outcome: search.outcome }}
        onFilters={setSearch}
        onOpen={openDelivery}
      />
      <DeliveryDrawer
        deliveryId={search.delivery === '' ? null : search.delivery}
        onClose={() => setSearch({ delivery: '' })}
      />
      <Windows webhook={webhook} shown={shown} onClose={() => setShown(null)} />
    </Page>
  );
}

type WindowsProps = { webhook: Webhook; shown: WebhookWindow | null; onClose: () => void };

function Windows({ webhook, shown, onClose }: WindowsProps) {
  const router = useRouter();
  const client = useQueryClient();
  const rotate = useOnceMutation({
    mutationFn: () =>
      call('POST /retailer/webhooks/{id}/rotate-secret', { params: { id: webhook.id } }),
    onSuccess: ({ secret }) => {
      keepNewSecret(client, webhook.id, { secret, rotated: true });
      scrollTo({ top: 0 });
    },
  });
  return (
    <>
      <EditWebhookDialog open={shown === 'edit'} webhook={webhook} onClose={onClose} />
      <RecoverDialog open={shown === 'recover'} webhook={webhook} onClose={onClose} />
      <ConfirmDialog
        open={shown === 'rotate'}
        onClose={onClose}
        title="Rotate the secret?"
        confirmLabel="Rotate secret"
        onConfirm={() => rotate.mutateAsync()}
      >
        <p>
          You get a new secret, which is shown once. For 24 hours deliveries are signed with the new
          and the old secret, then only with the new one.
        </p>
      </ConfirmDialog>
      <RemoveWebhookDialog
        webhook={shown === 'remove' ? webhook : null}
        onClose={onClose}
        onRemoved={() => router.history.push(paths.webhooks())}
      />
    </>
  );
}
