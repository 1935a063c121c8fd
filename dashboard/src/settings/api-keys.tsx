// The account's API keys: create, list, revoke.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { call } from '../app/api-client.ts';
import { refresh } from '../app/query-keys.ts';
import { Button } from '../design/button.tsx';
import { Switch } from '../design/choice.tsx';
import { ConfirmDialog } from '../design/dialog.tsx';
import { useIsPhone } from '../design/media.ts';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { toast } from '../design/toast.tsx';
import { type ApiKey, keysQuery } from '../keys/api-keys.ts';
import { forgetFreshKey } from '../keys/fresh-key.ts';
import { KeyList, type KeysProps, KeyTable } from './api-key-rows.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';

/** Using a key sends no live message for free requests, so the list polls. */
const LAST_USED_EVERY_MS = 30_000;

export function ApiKeys({ accountId }: { accountId: string }) {
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const [withRevoked, setWithRevoked] = useState(false);
  const keys = useQuery({ ...keysQuery, refetchInterval: LAST_USED_EVERY_MS });
  const all = keys.data ?? [];
  const revoked = all.filter((key) => key.revoked_at !== null).length;
  const shown = withRevoked ? all : all.filter((key) => key.revoked_at === null);
  const create = (
    <Button
      size="sm"
      variant="primary"
      icon={<Plus aria-hidden className="size-3.5" />}
      onClick={() => setCreating(true)}
    >
      Create key
    </Button>
  );
  return (
    <>
      <Card title="Your keys" actions={create} flush>
        {keys.isPending ? (
          <SkeletonRows rows={2} columns={4} />
        ) : keys.isError ? (
          <ErrorState error={keys.error} onRetry={keys.refetch} compact />
        ) : shown.length === 0 ? (
          <EmptyState title="No keys" icon={<KeyRound aria-hidden />}>
            Create one for each program, so that you can revoke each separately.
          </EmptyState>
        ) : (
          <Keys keys={shown} onRevoke={setRevoking} />
        )}
        {revoked > 0 ? (
          <div className="border-t border-line px-4 py-2.5">
            <Switch
              label={`Show revoked keys (${revoked})`}
              checked={withRevoked}
              onChange={setWithRevoked}
            />
          </div>
        ) : null}
      </Card>
      <CreateKeyDialog open={creating} onClose={() => setCreating(false)} accountId={accountId} />
      <RevokeDialog accountId={accountId} apiKey={revoking} onClose={() => setRevoking(null)} />
    </>
  );
}

function Keys(props: KeysProps) {
  return useIsPhone() ? <KeyList {...props} /> : <KeyTable {...props} />;
}

type RevokeProps = { accountId: string; apiKey: ApiKey | null; onClose: () => void };

function RevokeDialog({ accountId, apiKey, onClose }: RevokeProps) {
  const client = useQueryClient();
  // The key stays on screen while the dialog closes.
  const [dialogKey, setDialogKey] = useState(apiKey);
  if (apiKey !== null && apiKey !== dialogKey) setDialogKey(apiKey);
  const revoke = async () => {
    if (apiKey === null) return;
    await call('DELETE /session/keys/{id}', { params: { id: apiKey.id } });
    forgetFreshKey(accountId, apiKey.id);
    toast.done(`Key “${apiKey.name}” revoked`);
    await refresh(client, 'keys');
  };
  return (
    <ConfirmDialog
      open={apiKey !== null}
      onClose={onClose}
      title={`Revoke the key “${dialogKey?.name ?? ''}”?`}
      confirmLabel="Revoke key"
      danger
      onConfirm={revoke}
    >
      <p>
        The key that begins with <code className="font-mono text-ink">{dialogKey?.hint}</code> stops
        working within a second. Programs that still send it get a 401.
      </p>
      <p>This cannot be undone. A new key can be created at any time.</p>
    </ConfirmDialog>
  );
}
