// A link to the chart as a picture, for mails and chats.
import { useQuery } from '@tanstack/react-query';
import { Link2 } from 'lucide-react';
import { call } from '../app/api-client.ts';
import { useOnceMutation } from '../app/once-mutation.ts';
import { queryKey } from '../app/query-keys.ts';
import { SecretBox } from '../design/copy-button.tsx';
import { CostButton } from '../design/cost.tsx';
import { PaidProblem } from '../products/paid-parts.tsx';
import type { Range } from './chart-window.ts';

/** `range`: of the picture; a day is too short for one. */
export function ChartLink({ code, range }: { code: string; range: Range }) {
  // Free on a day on which the history or a chart was paid, so a charge may change it.
  const cost = useQuery({
    queryKey: queryKey('credits', 'chart-cost', code),
    queryFn: ({ signal }) =>
      call('GET /retailer/product/chart.png', {
        query: { retailer_product_code: code, dry_run: true },
        signal,
      }),
  }).data?.credit_cost;
  const link = useOnceMutation({
    mutationFn: (maxCredits: number) =>
      call('POST /retailer/product/chart-links', {
        body: { retailer_product_code: code, range: range === '1d' ? '1w' : range },
        maxCredits,
      }),
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <CostButton
        size="sm"
        variant="quiet"
        className="-ml-2.5"
        icon={<Link2 aria-hidden className="size-3.5" />}
        credits={cost}
        busy={link.isPending}
        onClick={() => link.mutate(cost ?? 0)}
      >
        Get link for embedding
      </CostButton>
      {link.data && 'url' in link.data ? (
        <SecretBox
          name="link to the picture"
          secret={link.data.url}
          note="For mails and chats: opens without signing in for 30 days, and shows the data of now. Opening it is free."
        />
      ) : null}
      {link.error ? <PaidProblem error={link.error} /> : null}
    </div>
  );
}
