// The cells of a row that show its last week: the price line, changes and rank.
import { useQuery } from '@tanstack/react-query';
import { Absent, countText, signedPercentText } from '../design/money.tsx';
import { Skeleton } from '../design/states.tsx';
import { sparkline, type Trend, trendQuery } from './trend.ts';

const SIZE = { width: 84, height: 24 };

function useTrend(code: string) {
  const { data, isPending } = useQuery(trendQuery(code));
  return { trend: data ?? null, isPending };
}

export function SparklineCell({ code }: { code: string }) {
  const { trend, isPending } = useTrend(code);
  if (isPending) return <Skeleton className="h-4 w-20" />;
  const lines = trend === null ? [] : sparkline(trend.prices, SIZE);
  if (lines.length === 0) return <Absent reason="no paid days in the last week" />;
  return (
    <svg
      role="img"
      aria-label={lineText(trend)}
      width={SIZE.width}
      height={SIZE.height}
      viewBox={`0 0 ${SIZE.width} ${SIZE.height}`}
      className="overflow-visible text-accent"
    >
      {lines.map((points) => (
        <polyline
          key={points}
          points={points}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.5"
          strokeLinejoin="round"
          strokeLinecap="round"
        />
      ))}
    </svg>
  );
}

const lineText = (trend: Trend | null) =>
  trend?.change_7d == null
    ? 'Price in the last 7 days'
    : `Price in the last 7 days, ${signedPercentText(trend.change_7d)}`;

export function ChangeCell({ code, over }: { code: string; over: 'change_24h' | 'change_7d' }) {
  const { trend, isPending } = useTrend(code);
  if (isPending) return <Skeleton className="ml-auto h-4 w-10" />;
  const change = trend?.[over] ?? null;
  if (change === null) return <Absent reason="not observed at both times" />;
  const isSteady = Math.abs(change) < 0.0005;
  return (
    <span data-numeric className={isSteady ? 'text-muted' : 'font-medium text-ink'}>
      {isSteady ? '0%' : signedPercentText(change)}
    </span>
  );
}

export function RankCell({ code }: { code: string }) {
  const { trend, isPending } = useTrend(code);
  if (isPending) return <Skeleton className="ml-auto h-4 w-10" />;
  if (trend?.rank == null) return <Absent reason="no rank observed" />;
  return <span data-numeric>{countText(trend.rank)}</span>;
}
