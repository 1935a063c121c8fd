// Decides what to blame for a failure: the item, another session that holds a lock, or the service.
import { Problem } from '../foundation/problem.ts';

/**
 * - item: it would fail again, so it can be set aside.
 * - busy: locked or in conflict at the moment; temporary, but one item may be the cause.
 * - service: the database is unreachable, full or has another schema; every item would fail.
 */
export type Blame = 'item' | 'busy' | 'service';

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** serialization failure, deadlock, lock not available, statement timeout, object in use. */
const BUSY = new Set(['40001', '40P01', '55P03', '57014', '55006']);
/**
 * Connection, resources, operator intervention, system error, configuration file; a read-only or
 * failed transaction; authorization; and class 42: a statement that does not fit the schema fails
 * for every item.
 */
const SERVICE = /^(?:08|53|57|58|F0|25|28|3D|3F|42|0A)/;
/** Messages of `pg` without a code when a connection is lost. */
const CONNECTION_GONE =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered)|Cannot use a pool)/;

export function blameFor(error: unknown): Blame {
  if (!(error instanceof Error)) return 'item';
  if (error instanceof Problem) {
    // Overload and an unreachable database blame the service; a violated rule blames the item.
    if (error.kind === 'temporarily_unavailable' || error.kind === 'source_unavailable') {
      return error.cause === undefined || blameFor(error.cause) === 'item'
        ? 'service'
        : blameFor(error.cause);
    }
    return error.cause === undefined ? 'item' : blameFor(error.cause);
  }
  const { code, severity, syscall } = error as Error & Record<string, unknown>;
  if (severity === 'FATAL' || severity === 'PANIC') return 'service';
  if (error.name === 'AbortError' || typeof syscall === 'string') return 'service';
  if (typeof code === 'string' && SQLSTATE.test(code) && code !== 'EPIPE') {
    if (BUSY.has(code)) return 'busy';
    return SERVICE.test(code) ? 'service' : 'item';
  }
  return CONNECTION_GONE.test(error.message) ? 'service' : 'item';
}
