// How a process divides its database connections among its three pools.

export type PoolName = 'hot' | 'heavy' | 'background';
export type PoolSizes = Readonly<Record<PoolName, number>>;

/** The share of each pool in twelfths, by what the process does; hot gets what rounding leaves. */
const TWELFTHS = {
  all: { heavy: 4, background: 3 },
  api: { heavy: 4, background: 2 },
  worker: { heavy: 2, background: 8 },
} as const;

/** Migrations hold two background connections at once, so no pool has fewer than two. */
const POOL_MIN = 2;

export function poolSizes(role: keyof typeof TWELFTHS, connections: number): PoolSizes {
  const share = (twelfths: number) => Math.max(POOL_MIN, Math.floor((connections * twelfths) / 12));
  const heavy = share(TWELFTHS[role].heavy);
  const background = Math.min(share(TWELFTHS[role].background), connections - heavy - POOL_MIN);
  return { hot: connections - heavy - background, heavy, background };
}
