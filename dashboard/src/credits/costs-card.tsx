// What the credits were spent on: the most expensive products and tags of the last days.
import { useQuery } from '@tanstack/react-query';
import { call } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { TextLink } from '../design/link.tsx';
import { countText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';

const DAYS = 30;
const SHOWN = 8;

type Line = { key: string; name: string; to: string; credits: number };

export function CostsCard() {
  const costs = useQuery({
    queryKey: queryKey('usage', 'costs', DAYS),
    queryFn: ({ signal }) => call('GET /session/costs', { query: { days: DAYS }, signal }),
  });
  return (
    <Card title="Cost by product and tag" description={`Last ${DAYS} days.`} flush>
      {costs.isPending ? (
        <SkeletonRows rows={4} columns={2} />
      ) : costs.isError ? (
        <ErrorState compact error={costs.error} onRetry={costs.refetch} />
      ) : costs.data.products.length === 0 ? (
        <EmptyState title="Nothing spent on products yet">
          Look-ups and tracked days appear here by product, and by the tags of tracked products.
        </EmptyState>
      ) : (
        <div className="grid grid-cols-1 gap-x-8 gap-y-4 p-4 lg:grid-cols-2">
          <Lines
            title="Products"
            total={costs.data.total}
            lines={costs.data.products.slice(0, SHOWN).map((product) => ({
              key: product.retailer_product_code,
              name: product.product_name ?? product.retailer_product_code,
              to: paths.product(product.retailer_product_code),
              credits: product.credits,
            }))}
          />
          <Lines
            title="Tags"
            total={costs.data.total}
            lines={costs.data.tags.slice(0, SHOWN).map(({ tag, credits }) => ({
              key: tag,
              name: `#${tag}`,
              to: paths.tracking({ tag }),
              credits,
            }))}
          />
        </div>
      )}
    </Card>
  );
}

function Lines({ title, lines, total }: { title: string; lines: Line[]; total: number }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1.5 text-xs font-medium text-ink">{title}</h3>
      {lines.length === 0 ? (
        <p className="text-sm text-muted">None of these products has a tag.</p>
      ) : (
        <ul aria-label={title} className="flex flex-col gap-1.5">
          {lines.map((line) => (
            <CostLine key={line.key} line={line} total={total} />
          ))}
        </ul>
      )}
    </section>
  );
}

function CostLine({ line, total }: { line: Line; total: number }) {
  const share = total > 0 ? Math.min(1, Math.max(0, line.credits / total)) : 0;
  return (
    <li className="flex flex-col gap-0.5">
      <span className="flex items-baseline justify-between gap-3 text-sm">
        <TextLink to={line.to} className="min-w-0 truncate">
          {line.name}
        </TextLink>
        <span className="shrink-0 text-muted tabular-nums">{countText(line.credits)}</span>
      </span>
      <svg aria-hidden viewBox="0 0 100 1" preserveAspectRatio="none" className="h-1 w-full">
        <rect width="100" height="1" className="fill-sunken" />
        <rect width={share * 100} height="1" className="fill-accent" />
      </svg>
    </li>
  );
}
