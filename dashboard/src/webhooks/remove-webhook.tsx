// Asks before a webhook is removed.
import { ConfirmDialog } from '../design/dialog.tsx';
import type { Webhook } from './event-choice.ts';
import { useWebhookActions } from './webhook-calls.ts';

export function RemoveWebhookDialog({
  webhook,
  onClose,
  onRemoved,
}: {
  /** Null: closed. */
  webhook: Webhook | null;
  onClose: () => void;
  onRemoved?: () => void;
}) {
  const { remove } = useWebhookActions();
  return (
    <ConfirmDialog
      open={webhook !== null}
      onClose={onClose}
      title="Remove this webhook?"
      confirmLabel="Remove webhook"
      danger
      onConfirm={async () => {
        if (webhook === null) return;
        await remove.mutateAsync({ id: webhook.id });
        onRemoved?.();
      }}
    >
      <p>
        <span className="font-medium text-ink">{webhook?.name}</span> is no longer called, and
        pending deliveries are dropped. Its secret and its delivery log are deleted. Events of your
        products are still recorded.
      </p>
    </ConfirmDialog>
  );
}
