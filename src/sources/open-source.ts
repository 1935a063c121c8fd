// Opens the source that the setting MARKETPLACE names.
import type { Clock } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import type { Metrics } from '../foundation/metrics.ts';
import { assert } from '../foundation/problem.ts';
import { createFeedSource } from './feed/feed-source.ts';
import { openPageMaps } from './pages/open-page-maps.ts';
import { createPageSource } from './pages/page-source.ts';
import type { SharedRate } from './shared-rate.ts';
import { createSimulatedSource } from './simulated/simulated-source.ts';
import type { Source } from './source.ts';

/** The settings of config.ts, which this folder may not import. */
export type SourceSettings = {
  MARKETPLACE: 'simulated' | 'feed' | 'pages';
  MARKETPLACE_URL: string | null;
  MARKETPLACE_TOKEN: string | null;
  MARKETPLACE_CONCURRENCY: number;
  MARKETPLACE_REQUESTS_PER_SECOND: number;
  PAGE_MAPS: string | null;
};

export function openSource(
  settings: SourceSettings,
  deps: {
    clock: Clock;
    log: Log;
    metrics: Metrics;
    /** The rate of this name that all processes keep together; without it, this one has it all. */
    rateOf?: (name: string) => SharedRate;
  },
): Source {
  const { MARKETPLACE, MARKETPLACE_URL: url, MARKETPLACE_TOKEN: token } = settings;
  if (MARKETPLACE === 'simulated') return createSimulatedSource(deps);
  assert(url !== null, 'MARKETPLACE_URL is set for feed and pages');
  const rate = deps.rateOf?.(`${MARKETPLACE}/${new URL(url).host}`);
  const shared = rate === undefined ? {} : { rate };
  if (MARKETPLACE === 'pages') {
    const maps = openPageMaps(settings);
    return createPageSource({ ...deps, ...shared, url, token, maps });
  }
  const limits = {
    concurrency: settings.MARKETPLACE_CONCURRENCY,
    requestsPerSecond: settings.MARKETPLACE_REQUESTS_PER_SECOND,
  };
  return createFeedSource({ ...deps, ...shared, url, token, limits });
}
