// Asks before tracking of a product stops, and clears its cached data afterwards.
import { useQueryClient } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { queryKey, refresh } from '../app/query-keys.ts';
import { usePrices } from '../app/session.ts';
import { ConfirmDialog } from '../design/dialog.tsx';
import { countText } from '../design/money.tsx';
import { toast } from '../design/toast.tsx';
import { creditsPerDay } from './tier-cost.ts';
import { changeTrackedRows } from './tracked-list.ts';
import { type Tracked, trackedByCode } from './tracked-product.ts';

export function StopTrackingDialog(props: {
  row: Tracked;
  open: boolean;
  onClose: () => void;
  /** "Stop tracking" or "Remove product", as the button that opened it. */
  confirmLabel: string;
  onStopped?: () => void;
}) {
  const { row, open, onClose, confirmLabel, onStopped } = props;
  const client = useQueryClient();
  const perDay = creditsPerDay([row], usePrices().data?.tiers ?? []);
  const stop = async () => {
    await call('DELETE /retailer/oversight/products/{id}', { params: { id: row.id } });
    toast.done('Tracking stopped');
    onStopped?.();
    // Removed data must not be refetched.
    client.setQueryData(trackedByCode(row.retailer_product_code).queryKey, null);
    client.removeQueries({ queryKey: queryKey('tracked', row.id) });
    changeTrackedRows(client, (rows) => rows.filter(({ id }) => id !== row.id));
    void refresh(client, 'tracked', 'plan');
  };
  return (
    <ConfirmDialog
      open={open}
      onClose={onClose}
      title="Stop tracking this product?"
      confirmLabel={confirmLabel}
      danger
      onConfirm={stop}
    >
      <p>
        {row.product_name ?? row.retailer_product_code} is no longer collected and sends no more
        events;{' '}
        {perDay > 0 ? `you save ${countText(perDay)} credits per day` : 'it costs nothing more'}.
        Today’s charge is not refunded. Its rules are deleted, and reading its price and stock
        history is no longer free.
      </p>
    </ConfirmDialog>
  );
}
