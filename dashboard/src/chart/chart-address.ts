// The chart's choices in the address: range or zoom, hidden lines, sellers, comparison, percent.
// They survive a reload, can be shared, and the back button undoes them.
import { useLocation, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { Window } from './chart-model.ts';
import { RANGES, type Range } from './chart-window.ts';

export type ChartChoice = {
  /** Null: the default of the data. */
  range: Range | null;
  /** A zoom; it goes before the range. */
  window: Window | null;
  hidden: readonly string[];
  /** Null: the default sellers. */
  sellers: readonly string[] | null;
  /** The code of another product. */
  compare: string | null;
  isPercent: boolean;
  isTable: boolean;
};

const NAMES = ['range', 'from', 'to', 'hide', 'sellers', 'compare', 'percent', 'table'] as const;
const NONE = 'none';
const SELLERS_MAX = 100;

/** Whatever is in the address: what cannot be read counts as absent. */
export function readChoice(search: URLSearchParams): ChartChoice {
  const range = search.get('range');
  const compare = search.get('compare');
  const sellers = search.get('sellers');
  return {
    range: RANGES.find((one) => one === range) ?? null,
    window: readWindow(search.get('from'), search.get('to')),
    hidden: listIn(search.get('hide')),
    sellers: sellers === null ? null : sellers === NONE ? [] : listIn(sellers),
    compare: compare !== null && /^\d{1,20}$/.test(compare) ? compare : null,
    isPercent: search.get('percent') === 'yes',
    isTable: search.get('table') === 'yes',
  };
}

function readWindow(from: string | null, to: string | null): Window | null {
  const [fromAtMs, toAtMs] = [Date.parse(from ?? ''), Date.parse(to ?? '')];
  return toAtMs > fromAtMs ? { fromAtMs, toAtMs } : null;
}

/** Each item is encoded, because a seller's name may contain a comma. */
const listIn = (text: string | null): string[] =>
  (text ?? '')
    .split(',')
    .filter((part) => part !== '')
    .slice(0, SELLERS_MAX)
    .map(decoded);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const listText = (items: readonly string[]) => items.map(encodeURIComponent).join(',');

/** Seconds are enough, and shorter. */
const timeParameter = (atMs: number) => `${new Date(atMs).toISOString().slice(0, 19)}Z`;

/** Other parameters of the address stay. */
export function writeChoice(search: URLSearchParams, choice: ChartChoice): URLSearchParams {
  const next = new URLSearchParams(search);
  for (const name of NAMES) next.delete(name);
  const { range, window, hidden, sellers, compare } = choice;
  if (range !== null) next.set('range', range);
  if (window !== null) {
    next.set('from', timeParameter(window.fromAtMs));
    next.set('to', timeParameter(window.toAtMs));
  }
  if (hidden.length > 0) next.set('hide', listText(hidden));
  if (sellers !== null) next.set('sellers', sellers.length === 0 ? NONE : listText(sellers));
  if (compare !== null) next.set('compare', compare);
  if (choice.isPercent) next.set('percent', 'yes');
  if (choice.isTable) next.set('table', 'yes');
  return next;
}

/** `isStep`: the back button returns to the choice before. */
export type ChangeChoice = (patch: Partial<ChartChoice>, isStep?: boolean) => void;

export function useChartAddress(): [ChartChoice, ChangeChoice] {
  const router = useRouter();
  const { searchStr, pathname } = useLocation();
  const choice = useMemo(() => readChoice(new URLSearchParams(searchStr)), [searchStr]);
  const change = useCallback<ChangeChoice>(
    (patch, isStep = true) => {
      // The user may have left the page in the meantime; do not bring them back.
      if (location.pathname !== pathname) return;
      const search = new URLSearchParams(location.search);
      const next = writeChoice(search, { ...readChoice(search), ...patch });
      const text = next.toString();
      if (text === search.toString()) return;
      const to = `${pathname}${text === '' ? '' : '?'}${text}`;
      // The chart stays where it is on the screen.
      void router.navigate({ to, replace: !isStep, resetScroll: false });
    },
    [router, pathname],
  );
  return [choice, change];
}
