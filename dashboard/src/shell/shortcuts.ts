// Keyboard shortcuts: g and a letter to go to a page, / to search, ? for the list, Ctrl or Cmd K.
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { PAGES } from './pages.ts';

const CHORD_MS = 1_200;

type ShortcutActions = { onPalette: () => void; onHelp: () => void };

export function useShortcuts({ onPalette, onHelp }: ShortcutActions): void {
  const router = useRouter();
  const actions = useRef({ onPalette, onHelp });
  actions.current = { onPalette, onHelp };
  useEffect(() => {
    let goPressedAtMs = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && !event.altKey && event.key.toLowerCase() === 'k') {
        event.preventDefault();
        return actions.current.onPalette();
      }
      if (event.metaKey || event.ctrlKey || event.altKey || isTaken(event)) return;
      const going = performance.now() - goPressedAtMs < CHORD_MS;
      goPressedAtMs = Number.NEGATIVE_INFINITY;
      if (going) {
        const page = PAGES.find(({ key }) => key === event.key);
        if (!page) return;
        event.preventDefault();
        return router.history.push(page.path);
      }
      if (event.key === 'g') goPressedAtMs = performance.now();
      else if (event.key === '?') actions.current.onHelp();
      else if (event.key === '/') focusSearch(event);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [router]);
}

/** A focused field or an open dialog keeps the keys to itself. */
function isTaken({ target }: KeyboardEvent): boolean {
  if (document.querySelector('[role="dialog"],[role="alertdialog"],[role="menu"]')) return true;
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName)) return true;
  return target instanceof HTMLInputElement && !/^(checkbox|radio|button)$/.test(target.type);
}

function focusSearch(event: KeyboardEvent): void {
  const field = document.querySelector<HTMLInputElement>('main [data-page-search]');
  if (!field) return;
  event.preventDefault();
  field.focus();
  field.select();
}
