// Caches pages that can be requested conditionally (ETag or Last-Modified), limited in number and
// age.
import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../foundation/time.ts';
import type { Timer } from './host-limiter.ts';
import type { PageFacts } from './product-page.ts';

export type CachedPage = {
  facts: PageFacts;
  etag: string | undefined;
  lastModified: string | undefined;
};

export type PageCache = ReturnType<typeof createPageCache>;

/**
 * After this the whole page is requested again, even if the host always responds "not modified".
 */
const AGE_MAX_MS = DAY_MS;

export function createPageCache(options: { max: number; timer: Timer }) {
  const pages = new LRUCache<string, CachedPage & { readMs: number }>({ max: options.max });
  return {
    get(code: string, url: string): CachedPage | undefined {
      const key = `${code} ${url}`;
      const page = pages.get(key);
      if (page === undefined) return undefined;
      if (options.timer.nowMs() - page.readMs < AGE_MAX_MS) return page;
      pages.delete(key);
      return undefined;
    },
    set(code: string, url: string, page: CachedPage): void {
      const key = `${code} ${url}`;
      const hasValidator = page.etag !== undefined || page.lastModified !== undefined;
      if (hasValidator) pages.set(key, { ...page, readMs: options.timer.nowMs() });
      else pages.delete(key);
    },
  };
}
