// Follows media queries of the browser.
import { useSyncExternalStore } from 'react';

export function useMedia(query: string): boolean {
  return useSyncExternalStore(
    (listener) => {
      const list = matchMedia(query);
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    () => matchMedia(query).matches,
  );
}

/** Narrower than the breakpoint at which the sidebar appears. */
export const useIsPhone = () => useMedia('(max-width: 767px)');
