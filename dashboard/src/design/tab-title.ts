// The title of the browser's tab.
import { useEffect } from 'react';

/** The page's static title comes first in the document, so a second element would not be read. */
export function useTabTitle(title: string): void {
  useEffect(() => {
    document.title = title === '' ? 'Oversight' : `${title} · Oversight`;
  }, [title]);
}
