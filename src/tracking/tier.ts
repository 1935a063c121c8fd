// The five tiers: how often a product is collected, and what a day of it costs.
import { HOUR_SECONDS } from '../foundation/time.ts';

export const TIERS = [0, 1, 2, 3, 4] as const;
export type Tier = (typeof TIERS)[number];

export const DEFAULT_TIER: Tier = 4;

const INTERVAL_SECONDS: Readonly<Record<Tier, number>> = {
  0: HOUR_SECONDS,
  1: 2 * HOUR_SECONDS,
  2: 6 * HOUR_SECONDS,
  3: 12 * HOUR_SECONDS,
  4: 24 * HOUR_SECONDS,
};

const CREDITS_PER_DAY: Readonly<Record<Tier, number>> = { 0: 150, 1: 90, 2: 35, 3: 20, 4: 10 };

export const intervalSeconds = (tier: Tier): number => INTERVAL_SECONDS[tier];

export const creditsPerDay = (tier: Tier): number => CREDITS_PER_DAY[tier];
