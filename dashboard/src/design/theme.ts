// The chosen theme: light, dark or the system's. public/theme.js sets it before the first paint.
import { type LucideIcon, Monitor, Moon, Sun } from 'lucide-react';
import { useSyncExternalStore } from 'react';

type ThemeChoice = 'light' | 'dark' | 'system';

export const THEMES: readonly { value: ThemeChoice; name: string; icon: LucideIcon }[] = [
  { value: 'light', name: 'Light', icon: Sun },
  { value: 'dark', name: 'Dark', icon: Moon },
  { value: 'system', name: 'System', icon: Monitor },
];

const STORED = 'theme';
const dark = matchMedia('(prefers-color-scheme: dark)');
const listeners = new Set<() => void>();

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(STORED);
    return value === 'light' || value === 'dark' ? value : 'system';
  } catch {
    return 'system';
  }
}

let choice = stored();

function apply(): void {
  const theme = choice === 'system' ? (dark.matches ? 'dark' : 'light') : choice;
  document.documentElement.dataset.theme = theme;
  for (const listener of listeners) listener();
}

dark.addEventListener('change', apply);
// Another tab of the same browser changed it.
addEventListener('storage', (event) => {
  if (event.key !== STORED) return;
  choice = stored();
  apply();
});

export function setTheme(next: ThemeChoice): void {
  choice = next;
  try {
    localStorage.setItem(STORED, next);
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  apply();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useThemeChoice = () => useSyncExternalStore(subscribe, () => choice);

/** The theme on screen, for content that is drawn rather than styled. */
export const useShownTheme = () =>
  useSyncExternalStore(subscribe, () => document.documentElement.dataset.theme ?? 'light');
