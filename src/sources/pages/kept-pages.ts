// Pages as they were read last, for hosts that can say "not changed": bounded in number and age.
import type { Timer } from './host-limiter.ts';
import type { PageFacts } from './product-page.ts';

export type KeptPage = {
  facts: PageFacts;
  etag: string | undefined;
  lastModified: string | undefined;
};

export type KeptPages = {
  get(code: string, url: string): KeptPage | undefined;
  set(code: string, url: string, page: KeptPage): void;
};

/** A host that answers "not changed" for ever is asked for the whole page after this. */
const AGE_MAX_MS = 24 * 3_600_000;

export function createKeptPages(options: { max: number; timer: Timer }): KeptPages {
  const pages = new Map<string, KeptPage & { readMs: number }>();
  return {
    get(code, url) {
      const key = `${code} ${url}`;
      const page = pages.get(key);
      if (page === undefined) return undefined;
      pages.delete(key);
      if (options.timer.nowMs() - page.readMs >= AGE_MAX_MS) return undefined;
      pages.set(key, page);
      return page;
    },
    set(code, url, page) {
      const key = `${code} ${url}`;
      pages.delete(key);
      if (page.etag === undefined && page.lastModified === undefined) return;
      pages.set(key, { ...page, readMs: options.timer.nowMs() });
      // The first in a map is the one not asked for the longest.
      for (const oldest of pages.keys()) {
        if (pages.size <= options.max) break;
        pages.delete(oldest);
      }
    },
  };
}
