// Filters kept in the URL, so that a view can be shared, reloaded and navigated back to.
import { useLocation, useRouter } from '@tanstack/react-router';
import { useCallback, useMemo, useRef } from 'react';

/**
 * `const [filters, setFilters] = useAddressSearch({ q: '', tier: '' })`; defaults stay out of the
 * URL.
 */
export function useAddressSearch<T extends Readonly<Record<string, string>>>(
  defaults: T,
): [{ [K in keyof T]: string }, (patch: { [K in keyof T]?: string }) => void] {
  const router = useRouter();
  const { searchStr, pathname } = useLocation();
  const start = useRef(defaults).current;
  const values = useMemo(() => {
    const search = new URLSearchParams(searchStr);
    const read = Object.keys(start).map((name) => [name, search.get(name) ?? start[name]]);
    return Object.fromEntries(read) as { [K in keyof T]: string };
  }, [searchStr, start]);
  const change = useCallback(
    (patch: { [K in keyof T]?: string }) => {
      // The user may have left the page while a request ran; do not bring them back.
      if (location.pathname !== pathname) return;
      const search = new URLSearchParams(location.search);
      for (const [name, value] of Object.entries(patch)) {
        if (value === undefined || value === start[name]) search.delete(name);
        else search.set(name, value);
      }
      const text = search.toString();
      router.history.replace(text === '' ? pathname : `${pathname}?${text}`);
    },
    [router, pathname, start],
  );
  return [values, change];
}
