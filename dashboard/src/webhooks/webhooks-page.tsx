// The page "Webhooks": all webhooks of the account, and creating one.
import { useQuery } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { Plus, Webhook as WebhookIcon } from 'lucide-react';
import { useState } from 'react';
import { paths } from '../app/paths.ts';
import { useSession } from '../app/session.ts';
import { Button } from '../design/button.tsx';
import { CodeBlock } from '../design/copy-button.tsx';
import { Card, Page, PageHeader } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import type { Webhook } from './event-choice.ts';
import { RemoveWebhookDialog } from './remove-webhook.tsx';
import { useWebhookActions, webhooksQuery } from './webhook-calls.ts';
import { EditWebhookDialog, NewWebhookDialog } from './webhook-form.tsx';
import { WebhookList } from './webhook-list.tsx';

export function WebhooksPage() {
  const router = useRouter();
  const [creating, setCreating] = useState(false);
  return (
    <Page wide>
      <PageHeader
        title="Webhooks"
        description="A signed POST to your endpoint for each event of a tracked product. Free."
        actions={
          <Button
            variant="primary"
            icon={<Plus aria-hidden className="size-4" />}
            onClick={() => setCreating(true)}
          >
            New webhook
          </Button>
        }
      />
      <Registrations />
      <NewWebhookDialog
        open={creating}
        onClose={() => setCreating(false)}
        onCreated={(id) => {
          setCreating(false);
          router.history.push(paths.webhook(id));
        }}
      />
    </Page>
  );
}

function Registrations() {
  const router = useRouter();
  const [edited, setEdited] = useState<Webhook | null>(null);
  const [removed, setRemoved] = useState<Webhook | null>(null);
  const list = useQuery(webhooksQuery);
  const { setStatus, test } = useWebhookActions({
    onTest: (id, delivery) => router.history.push(paths.webhook(id, { delivery })),
  });
  return (
    <Card flush>
      {list.isPending ? (
        <SkeletonRows rows={3} columns={6} />
      ) : list.isError ? (
        <ErrorState error={list.error} onRetry={list.refetch} />
      ) : list.data.length === 0 ? (
        <NoWebhooks />
      ) : (
        <WebhookList
          webhooks={list.data}
          onEdit={setEdited}
          onTest={({ id }) => test.mutate({ id })}
          onSetStatus={({ id }, status) => setStatus.mutate({ id, status })}
          onRemove={setRemoved}
        />
      )}
      {edited ? <EditWebhookDialog open webhook={edited} onClose={() => setEdited(null)} /> : null}
      <RemoveWebhookDialog webhook={removed} onClose={() => setRemoved(null)} />
    </Card>
  );
}

function NoWebhooks() {
  const takesPrivate = useSession().data?.server.allows_private_targets ?? false;
  return (
    <EmptyState title="No webhooks yet" icon={<WebhookIcon aria-hidden />}>
      <p>
        A webhook notifies your program when the price, buybox, sellers, stock or rank of a tracked
        product change, so that it need not poll. Each event is one signed POST with a JSON body to
        your URL.
      </p>
      <div className="mt-4 text-left">
        <p className="mb-1.5 text-xs">
          {takesPrivate
            ? 'To try it with the service on your own machine, start this receiver and register '
            : 'This service calls only public https:// addresses. A service started with ALLOW_PRIVATE_TARGETS=true also calls this receiver at '}
          <code className="font-mono text-ink">http://127.0.0.1:9000</code>:
        </p>
        <CodeBlock code="npm run -s oversight -- listen --port 9000" name="command" />
      </div>
    </EmptyState>
  );
}
