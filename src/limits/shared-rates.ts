// Rates that are promises to others, kept by all processes of a database together: whoever wants to
// start something reserves its time in a row. Without the database each process keeps its part.
import type { Database } from '../database/database.ts';
import { monotonicMs } from '../foundation/clock.ts';
import type { Log } from '../foundation/log.ts';
import { HOUR_MS } from '../foundation/time.ts';

export type SharedRates = ReturnType<typeof createSharedRates>;

export type Reservation = {
  /** How many may start, one every `everyMs`. */
  count: number;
  everyMs: number;
  /** What was not used within this time may be caught up with. */
  burstMs: number;
  /** Nothing is reserved if the first would start later than this. */
  withinMs: number;
};

/** `waitMs` until the first may start: negative or 0 means now. */
export type Reserved = { isReserved: boolean; waitMs: number };

/** The part of the rates that a source needs, which may not import this folder. */
export type RateOf = {
  reserve(reservation: Reservation): Promise<Reserved>;
  pause(ms: number): Promise<void>;
};

/** No reservation or pause lies further ahead: if one does, the database's clock was set back. */
const AHEAD_MAX_MS = HOUR_MS;
const IDLE_MS = HOUR_MS;

export function createSharedRates(deps: { db: Database; log: Log; processCount: () => number }) {
  const { db, log } = deps;
  const local = new Map<string, number>();
  let isAlone = false;

  const reserve = async (name: string, reservation: Reservation): Promise<Reserved> => {
    try {
      const reserved = await reserveInDatabase(db, name, reservation);
      isAlone = false;
      return reserved;
    } catch (error) {
      if (!isAlone) log.warn({ rate: name, reason: String(error) }, 'rate not shared for now');
      isAlone = true;
      // Every process keeps to its part of the rate.
      const everyMs = reservation.everyMs * deps.processCount();
      return reserveLocally(local, name, { ...reservation, everyMs });
    }
  };

  const pause = async (name: string, ms: number): Promise<void> => {
    const pauseMs = Math.min(ms, AHEAD_MAX_MS);
    local.set(name, Math.max(local.get(name) ?? 0, monotonicMs() + pauseMs));
    await db
      .query(
        `insert into shared_rates (name, free_at)
         values ($1, clock_timestamp() + $2::float8 * interval '1 millisecond')
         on conflict (name) do update
           set free_at = greatest(shared_rates.free_at, excluded.free_at)`,
        [name, pauseMs],
      )
      .catch((error) => log.warn({ rate: name, reason: String(error) }, 'pause not shared'));
  };

  return {
    reserve,
    of: (name: string): RateOf => ({
      reserve: (reservation) => reserve(name, reservation),
      pause: (ms) => pause(name, ms),
    }),
    /** Deletes rows that nobody has used for long. */
    async dropIdle(): Promise<void> {
      await db.query(
        `delete from shared_rates
          where free_at < clock_timestamp() - $1::bigint * interval '1 millisecond'`,
        [IDLE_MS],
      );
    },
  };
}

async function reserveInDatabase(
  db: Database,
  name: string,
  { count, everyMs, burstMs, withinMs }: Reservation,
): Promise<Reserved> {
  const takenMs = count * everyMs;
  const [reserved] = await db.query<{ wait_ms: number }>(
    `insert into shared_rates (name, free_at)
     values ($1, clock_timestamp() + ($2::float8 - $3::float8) * interval '1 millisecond')
     on conflict (name) do update set free_at = $2::float8 * interval '1 millisecond'
           + least(greatest(shared_rates.free_at, clock_timestamp() - $3 * interval '1 millisecond'),
                   clock_timestamp() + $5::float8 * interval '1 millisecond')
      where shared_rates.free_at <= clock_timestamp() + $4::float8 * interval '1 millisecond'
         or shared_rates.free_at > clock_timestamp() + $5::float8 * interval '1 millisecond'
     returning extract(epoch from free_at - clock_timestamp())::float8 * 1000 - $2 as wait_ms`,
    [name, takenMs, burstMs, withinMs, AHEAD_MAX_MS],
  );
  if (reserved !== undefined) return { isReserved: true, waitMs: reserved.wait_ms };
  const [later] = await db.query<{ wait_ms: number }>(
    `select extract(epoch from free_at - clock_timestamp())::float8 * 1000 as wait_ms
       from shared_rates where name = $1`,
    [name],
  );
  return { isReserved: false, waitMs: Math.max(0, later?.wait_ms ?? 0) };
}

function reserveLocally(
  local: Map<string, number>,
  name: string,
  { count, everyMs, burstMs, withinMs }: Reservation,
): Reserved {
  const nowMs = monotonicMs();
  const freeAtMs = Math.max(local.get(name) ?? Number.NEGATIVE_INFINITY, nowMs - burstMs);
  const waitMs = freeAtMs - nowMs;
  if (waitMs > withinMs) return { isReserved: false, waitMs };
  local.set(name, freeAtMs + count * everyMs);
  return { isReserved: true, waitMs };
}
