// How the table of tracked products is shown: columns, density, views; kept in the browser.
import { useSyncExternalStore } from 'react';

export const COLUMN_NAMES = {
  tier: 'Tier',
  status: 'Status, attention',
  price: 'Price',
  trend: 'Last 7 days',
  change_24h: '24 h',
  change_7d: '7 d',
  rank: 'Rank',
  holder: 'Buybox holder',
  stock: 'Stock',
  updated: 'Last check',
  due: 'Next check',
} as const;
export type ColumnId = keyof typeof COLUMN_NAMES;
export const COLUMN_IDS = Object.keys(COLUMN_NAMES) as ColumnId[];

export type Density = 'compact' | 'comfortable';
/** A name and the search part of the page's URL. */
export type SavedView = { name: string; search: string };

export type TableSettings = {
  hidden: readonly ColumnId[];
  density: Density;
  views: readonly SavedView[];
};

export const TABLE_DEFAULTS: TableSettings = {
  // The rest fits a laptop without scrolling sideways.
  hidden: ['change_7d', 'rank', 'updated', 'due'],
  density: 'comfortable',
  views: [],
};

const STORED = 'tracked-table';
export const VIEWS_MAX = 20;

/** Anything unknown, from another version or by hand, is ignored. */
export function readSettings(text: string | null): TableSettings {
  if (text === null) return TABLE_DEFAULTS;
  try {
    const { hidden, density, views } = JSON.parse(text) as Record<string, unknown>;
    return {
      hidden: Array.isArray(hidden)
        ? COLUMN_IDS.filter((id) => hidden.includes(id))
        : TABLE_DEFAULTS.hidden,
      density: density === 'compact' ? 'compact' : 'comfortable',
      views: Array.isArray(views) ? views.filter(isView).slice(0, VIEWS_MAX) : [],
    };
  } catch {
    return TABLE_DEFAULTS;
  }
}

const isView = (view: unknown): view is SavedView => {
  const { name, search } = (view ?? {}) as Record<string, unknown>;
  return typeof name === 'string' && typeof search === 'string' && name !== '';
};

/** A view with the same name is replaced. */
export const withView = (views: readonly SavedView[], view: SavedView): SavedView[] =>
  [view, ...views.filter(({ name }) => name !== view.name)].slice(0, VIEWS_MAX);

const listeners = new Set<() => void>();
let settings: TableSettings | undefined;

function load(): TableSettings {
  try {
    return readSettings(localStorage.getItem(STORED));
  } catch {
    return TABLE_DEFAULTS;
  }
}

const current = () => {
  settings ??= load();
  return settings;
};

export function changeTableSettings(patch: Partial<TableSettings>): void {
  settings = { ...current(), ...patch };
  try {
    localStorage.setItem(STORED, JSON.stringify(settings));
  } catch {
    // Storage is blocked or full: the choice lasts as long as the page.
  }
  for (const listener of listeners) listener();
}

export const useTableSettings = (): TableSettings =>
  useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, current);
