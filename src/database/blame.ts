// Whose fault a failure is: the item that was worked on, somebody who holds what it needs, or nobody in particular.
import { Problem } from '../foundation/problem.ts';

/**
 * - item: the same would fail again, so it can be set aside.
 * - busy: locked or overtaken by others at this moment; it passes, but it may be one item that waits.
 * - service: the database is away, full or not as the program expects. Every item would fail: none is to blame.
 */
export type Blame = 'item' | 'busy' | 'service';

const SQLSTATE = /^[0-9A-Z]{5}$/;
/** serialization failure, deadlock, lock not available, statement timeout, object in use. */
const BUSY = new Set(['40001', '40P01', '55P03', '57014', '55006']);
/**
 * Connection, resources, operator intervention, system error, configuration file; a read-only or failed transaction;
 * who may log in; and class 42: a statement that does not fit the schema fails for everybody.
 */
const SERVICE = /^(?:08|53|57|58|F0|25|28|3D|3F|42|0A)/;
/** What `pg` says without a code when a connection is gone. */
const CONNECTION_GONE =
  /^(?:Connection terminated|Query read timeout|timeout exceeded when trying to connect|Client (?:was closed|has encountered)|Cannot use a pool)/;

export function blameFor(error: unknown): Blame {
  if (!(error instanceof Error)) return 'item';
  if (error instanceof Problem) {
    // Overload and an unreachable database are the service's; what a rule refuses is the item's.
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
