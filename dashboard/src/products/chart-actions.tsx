// Below the price chart: the history as a picture, and a link to it for mails and chats.
import { useQuery } from '@tanstack/react-query';
import { Download, Link2 } from 'lucide-react';
import { useState } from 'react';
import { call, callForFile } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey } from '../app/query-keys.ts';
import { SelectField } from '../design/choice.tsx';
import { SecretBox } from '../design/copy-button.tsx';
import { CostButton } from '../design/cost.tsx';
import { useShownTheme } from '../design/theme.ts';
import { PaidProblem } from './paid-parts.tsx';

type Range = '1w' | '1m' | '3m' | '1y' | '3y' | 'all';

const RANGES: readonly { value: Range; label: string }[] = [
  { value: '1w', label: 'Last week' },
  { value: '1m', label: 'Last month' },
  { value: '3m', label: 'Last 3 months' },
  { value: '1y', label: 'Last year' },
  { value: '3y', label: 'Last 3 years' },
  { value: 'all', label: 'All time' },
];

export function ChartActions({ code }: { code: string }) {
  const [range, setRange] = useState<Range>('3m');
  const theme: 'dark' | 'light' = useShownTheme() === 'dark' ? 'dark' : 'light';
  // Free on a day on which the history or a chart was paid, so a charge may change it.
  const cost = useQuery({
    queryKey: queryKey('credits', 'chart-cost', code),
    queryFn: ({ signal }) =>
      call('GET /retailer/product/chart.png', {
        query: { retailer_product_code: code, dry_run: true },
        signal,
      }),
  }).data?.credit_cost;
  const download = useOnceMutation({
    mutationFn: async (maxCredits: number) => {
      const query = { retailer_product_code: code, range, theme };
      save(await callForFile('GET /retailer/product/chart.png', { query, maxCredits }), code);
    },
  });
  const link = useOnceMutation({
    mutationFn: (maxCredits: number) =>
      call('POST /retailer/product/chart-links', {
        body: { retailer_product_code: code, range },
        maxCredits,
      }),
  });
  const error = download.error ?? link.error;
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex flex-wrap items-center gap-2">
        <SelectField
          label="Time shown in the picture"
          labelHidden
          value={range}
          onChange={setRange}
          options={RANGES}
          className="w-36"
        />
        <CostButton
          size="sm"
          icon={<Download aria-hidden className="size-3.5" />}
          credits={cost}
          busy={download.isPending}
          onClick={() => download.mutate(cost ?? 0)}
        >
          Download picture
        </CostButton>
        <CostButton
          size="sm"
          icon={<Link2 aria-hidden className="size-3.5" />}
          credits={cost}
          busy={link.isPending}
          onClick={() => link.mutate(cost ?? 0)}
        >
          Get link for embedding
        </CostButton>
      </div>
      {link.data && 'url' in link.data ? (
        <SecretBox
          name="link to the picture"
          secret={link.data.url}
          note="For mails and chats: opens without signing in for 30 days, and shows the data of now. Opening it is free."
        />
      ) : null}
      {error ? <PaidProblem error={error} /> : null}
    </div>
  );
}

function save(picture: Blob, code: string): void {
  const address = URL.createObjectURL(picture);
  const anchor = document.createElement('a');
  anchor.href = address;
  anchor.download = `${code}.png`;
  anchor.click();
  URL.revokeObjectURL(address);
}
