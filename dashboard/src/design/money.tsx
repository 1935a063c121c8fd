// Numbers: money, counts, bytes, durations, percentages, and the placeholder for a missing value.
import type { ReactNode } from 'react';
import { DAY_MS, HOUR_MS } from '../app/server-clock.ts';
import { numberFormat } from './locale.ts';

const usdFormat = numberFormat({ style: 'currency', currency: 'USD' });
const countFormat = numberFormat();
const oneDecimal = numberFormat({ maximumFractionDigits: 1 });
const ratingFormat = numberFormat({
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

export const moneyText = (usd: number) => usdFormat.format(usd);
export const countText = (count: number) => countFormat.format(count);
export const creditsText = (credits: number) =>
  `${countText(credits)} ${Math.abs(credits) === 1 ? 'credit' : 'credits'}`;

/** "4.0": always one decimal. */
export const ratingText = (rating: number) => ratingFormat.format(rating);

/** "−7.6%", with a real minus sign, as wide as the plus. `share` is a fraction of 1. */
export const signedPercentText = (share: number) =>
  `${share < 0 ? '−' : '+'}${oneDecimal.format(Math.abs(share) * 100)}%`;

type Nothing = null | undefined;

/** A dash with its reason. Unknown, none and zero are three different things. */
export function Absent({ reason = 'unknown' }: { reason?: string }) {
  return (
    <span title={reason} className="text-faint">
      <span aria-hidden>–</span>
      <span className="sr-only">{reason}</span>
    </span>
  );
}

export function Money({ usd, absent }: { usd: number | Nothing; absent?: string }) {
  if (usd == null) return <Absent reason={absent} />;
  return <span data-numeric>{moneyText(usd)}</span>;
}

export function Count({
  of,
  unit,
  absent,
}: {
  of: number | Nothing;
  /** Singular and plural: `['unit', 'units']`. */
  unit?: readonly [string, string];
  absent?: string;
}) {
  if (of == null) return <Absent reason={absent} />;
  const word = unit === undefined ? '' : ` ${of === 1 ? unit[0] : unit[1]}`;
  return (
    <span data-numeric>
      {countText(of)}
      {word}
    </span>
  );
}

export function Credits({ of, absent }: { of: number | Nothing; absent?: string }) {
  return <Count of={of} unit={['credit', 'credits']} absent={absent} />;
}

function bytesText(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${oneDecimal.format(bytes / 1000)} KB`;
  return `${oneDecimal.format(bytes / 1_000_000)} MB`;
}

export function Bytes({ of, absent }: { of: number | Nothing; absent?: string }) {
  if (of == null) return <Absent reason={absent} />;
  return (
    <span data-numeric title={`${countText(of)} bytes`}>
      {bytesText(of)}
    </span>
  );
}

export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${oneDecimal.format(ms / 1000)} s`;
  if (ms < HOUR_MS) return `${oneDecimal.format(ms / 60_000)} min`;
  if (ms < DAY_MS) return `${oneDecimal.format(ms / HOUR_MS)} h`;
  return `${oneDecimal.format(ms / DAY_MS)} d`;
}

export function Duration({ ms, absent }: { ms: number | Nothing; absent?: string }) {
  if (ms == null) return <Absent reason={absent} />;
  return <span data-numeric>{durationText(ms)}</span>;
}

/** `share` from 0 to 1. */
export function Percent({ share, absent }: { share: number | Nothing; absent?: string }) {
  if (share == null) return <Absent reason={absent} />;
  const text = oneDecimal.format(share * 100);
  // A small share is not zero.
  return <span data-numeric>{share > 0 && text === '0' ? '<1' : text}%</span>;
}

/** Text in a cell that may be missing. */
export function Known({ children, absent }: { children: ReactNode; absent?: string }) {
  return children == null || children === '' ? <Absent reason={absent} /> : children;
}
