// When shoppers buy: by season, day of the week and hour of the day.

import type { Leaf, Season } from './shelf.ts';

const YEAR_DAYS = 365.2425;
/** 2000-01-01, counted in days since 1970. */
const YEAR_START_DAY = 10_957;

/** The peak of each season: its day of the year, its width in days and its height. */
const HEIGHTS: Readonly<Record<Season, { day: number; days: number; extra: number }>> = {
  even: { day: 349, days: 16, extra: 0.15 },
  summer: { day: 188, days: 48, extra: 1.1 },
  winter: { day: 10, days: 45, extra: 0.8 },
  spring: { day: 112, days: 35, extra: 0.9 },
  school: { day: 232, days: 20, extra: 1.2 },
  gifts: { day: 343, days: 18, extra: 1.9 },
};

const SEASONS = Object.fromEntries(
  Object.entries(HEIGHTS).map(([season, height]) => [season, yearOf(height)]),
) as Record<Season, Float64Array>;

function yearOf({ day, days, extra }: (typeof HEIGHTS)[Season]): Float64Array {
  return Float64Array.from({ length: 366 }, (_, dayOfYear) => {
    const apart = Math.abs(dayOfYear - day);
    const distance = Math.min(apart, YEAR_DAYS - apart) / days;
    return 0.85 + extra * Math.exp(-0.5 * distance * distance);
  });
}

/** The season's factor on demand, around 1. */
export function seasonFactor(season: Season, day: number): number {
  const years = (day - YEAR_START_DAY) / YEAR_DAYS;
  return SEASONS[season][Math.floor((years - Math.floor(years)) * YEAR_DAYS)] as number;
}

// From Sunday; each has a mean of 1.
const LEISURE_WEEK = [1.28, 0.96, 0.85, 0.83, 0.87, 0.98, 1.23];
const WORK_WEEK = [0.62, 1.22, 1.2, 1.16, 1.1, 1.0, 0.7];

export function weekdayFactor(leaf: Leaf, day: number): number {
  // Day 0, 1970-01-01, was a Thursday.
  return (leaf.forWork ? WORK_WEEK : LEISURE_WEEK)[(day + 4) % 7] as number;
}

// Shoppers live some hours west of UTC: their evening is early morning in UTC.
const HOURS = [
  6, 7, 7, 6, 4.5, 3, 2, 1.2, 0.8, 0.6, 0.7, 1, 1.8, 2.8, 3.8, 4.5, 5, 5.2, 5.2, 5, 4.9, 5, 5.3,
  5.7,
];
const SOLD_BY_HOUR = Float64Array.from(
  { length: 25 },
  (_, hour) => sum(HOURS.slice(0, hour)) / sum(HOURS),
);

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The share of a day's shoppers up to this second: 0 at midnight, 1 at the next midnight. */
export function soldBy(second: number): number {
  const hour = Math.floor(second / 3_600);
  const before = SOLD_BY_HOUR[hour] as number;
  const after = SOLD_BY_HOUR[Math.min(24, hour + 1)] as number;
  return before + (after - before) * ((second - hour * 3_600) / 3_600);
}

/** How many of the day's `demand` units are wanted once `part` of its shoppers have come. */
export function demandedBy(demand: number, part: number, offset: number): number {
  return demand === 0 ? 0 : Math.max(0, Math.floor(demand * part - offset + 1));
}
