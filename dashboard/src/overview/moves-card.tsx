// The largest price changes and lost buyboxes of the last day: the larger, the larger its number.
import { useQuery } from '@tanstack/react-query';
import { TrendingDown, TrendingUp } from 'lucide-react';
import { call, type ResponseOf } from '../app/api-client.ts';
import { paths } from '../app/paths.ts';
import { queryKey } from '../app/query-keys.ts';
import { Badge } from '../design/badge.tsx';
import { classNames } from '../design/class-names.ts';
import { Link } from '../design/link.tsx';
import { signedPercentText } from '../design/money.tsx';
import { Card } from '../design/page.tsx';
import { EmptyState, ErrorState, SkeletonRows } from '../design/states.tsx';
import { RelativeTime } from '../design/time.tsx';
import { eventProduct, eventWords } from '../events/event-words.ts';

const SHOWN = 6;

export function MovesCard() {
  const moves = useQuery({
    queryKey: queryKey('events', 'moves', SHOWN),
    queryFn: ({ signal }) => call('GET /session/moves', { query: { limit: SHOWN }, signal }),
  });
  return (
    <Card title="Biggest moves" description="Last 24 hours, one per product." flush>
      {moves.isPending ? (
        <SkeletonRows rows={SHOWN} columns={2} />
      ) : moves.isError ? (
        <ErrorState compact error={moves.error} onRetry={moves.refetch} />
      ) : moves.data.length === 0 ? (
        <EmptyState title="No price changes in the last 24 hours">
          The largest price changes and lost buyboxes of your tracked products appear here.
        </EmptyState>
      ) : (
        <ul aria-label="Biggest moves" className="divide-y divide-line">
          {moves.data.map((move) => (
            <MoveLine key={move.id} move={move} />
          ))}
        </ul>
      )}
    </Card>
  );
}

type Move = ResponseOf<'GET /session/moves'>[number];

function MoveLine({ move }: { move: Move }) {
  const { code, name } = eventProduct(move);
  return (
    <li className="flex items-center gap-3 px-4 py-2">
      <span className="flex w-20 shrink-0 justify-end tabular-nums">
        <MoveSize change={move.change} />
      </span>
      <div className="min-w-0 flex-1">
        <Link
          to={paths.product(code)}
          className="block truncate rounded-sm text-sm text-ink hover:underline"
        >
          {name}
        </Link>
        <p className="truncate text-xs text-muted tabular-nums">{eventWords(move)}</p>
      </div>
      <span className="shrink-0 text-xs text-muted">
        <RelativeTime at={move.timestamp} />
      </span>
    </li>
  );
}

const LARGE = 0.2;
const MEDIUM = 0.05;

/** A crash must not look like a cent: larger changes are set larger and heavier. */
function MoveSize({ change }: { change: number | null }) {
  if (change === null) return <Badge tone="critical">Buybox lost</Badge>;
  const size = Math.abs(change);
  const Icon = change < 0 ? TrendingDown : TrendingUp;
  return (
    <span
      className={classNames(
        'inline-flex items-center gap-1',
        size >= LARGE
          ? 'text-lg font-semibold text-ink'
          : size >= MEDIUM
            ? 'text-sm font-medium text-ink'
            : 'text-xs text-muted',
      )}
    >
      <Icon aria-hidden className="size-3.5 text-faint" />
      {signedPercentText(change)}
    </span>
  );
}
