// The seller to watch: completes the names of this product's sellers, and warns of a name that only
// looks like one of them.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { call } from '../app/api-client.ts';
import { queryKey } from '../app/query-keys.ts';
import { Button } from '../design/button.tsx';
import { TextField } from '../design/field.tsx';
import { sellerWarning } from './seller-name.ts';
import type { Tracked } from './tracked-product.ts';

type SellerFieldProps = {
  row: Tracked;
  value: string;
  onChange: (seller: string) => void;
  accountSeller: string | null;
};

export function SellerField({ row, value, onChange, accountSeller }: SellerFieldProps) {
  const list = useId();
  const names = useSellerNames(row);
  const warning = sellerWarning(value, names);
  return (
    <div className="flex flex-col gap-1.5">
      <TextField
        label="Seller to watch"
        value={value}
        onChange={onChange}
        placeholder={accountSeller ?? 'None'}
        maxLength={200}
        list={list}
        hint={
          accountSeller
            ? `If empty: ${accountSeller}, the seller of your account.`
            : 'The seller for buybox.won and buybox.lost, spelled as on the marketplace.'
        }
      />
      <datalist id={list}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      {warning === null ? null : (
        <p role="status" className="flex flex-wrap items-center gap-2 text-xs text-caution">
          {warning.text}
          {warning.instead === null ? null : (
            <Button size="sm" onClick={() => onChange(warning.instead ?? '')}>
              Use {warning.instead}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

/** The sellers of days paid at tier 0, and the holder of the buybox at any tier. */
function useSellerNames(row: Tracked): string[] {
  const { data } = useQuery({
    queryKey: queryKey('tracked-history', row.id, 'sellers'),
    queryFn: ({ signal }) =>
      call('GET /session/tracked/{id}/sellers', { params: { id: row.id }, signal }),
  });
  const names = data?.sellers.map(({ seller_name }) => seller_name) ?? [];
  const all = row.buybox_seller === null ? names : [row.buybox_seller, ...names];
  return [...new Set(all)];
}
