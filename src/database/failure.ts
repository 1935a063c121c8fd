// Classifies database errors: the server is unavailable, or the statement is wrong; and whether the
// statement may have taken effect.
import { Problem } from '../foundation/problem.ts';

/**
 * The database is unavailable: a 503 for the caller. The statement itself is fine and may be sent
 * again, unless its outcome is unknown: then it may have committed, which must be checked.
 */
export class DatabaseAway extends Problem {
  readonly outcomeUnknown: boolean;

  constructor(cause: unknown, { outcomeUnknown }: { outcomeUnknown: boolean }) {
    const message = outcomeUnknown ? UNKNOWN : isBusy(cause) ? BUSY : UNREACHABLE;
    super(outcomeUnknown ? 'outcome_unknown' : 'temporarily_unavailable', message, { cause });
    this.outcomeUnknown = outcomeUnknown;
  }

  /** For logs, which print errors as text; adds the cause, which callers do not see. */
  override toString(): string {
    return `${super.toString()} (${this.cause instanceof Error ? this.cause.message : this.cause})`;
  }
}

const UNREACHABLE =
  'The service cannot reach its database at the moment. Nothing was charged; try again shortly.';
const UNKNOWN =
  'The service lost its database while it worked on this request, which may have been carried out. Check before you repeat it; no day is charged twice.';
const BUSY = 'The database is busy at the moment. Nothing was charged; try again shortly.';

/** The error for a request that found the database unavailable; nothing was done. */
export function databaseAway(cause: unknown): DatabaseAway {
  return new DatabaseAway(cause, { outcomeUnknown: false });
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The SQLSTATE of an error, also of one wrapped in a Problem. */
export function sqlStateOf(error: unknown): string | undefined {
  if (error instanceof Problem) return sqlStateOf(error.cause);
  const code = (error as { code?: unknown } | null | undefined)?.code;
  // EPIPE is not an SQLSTATE: it comes from the socket.
  return typeof code === 'string' && SQLSTATE.test(code) && code !== 'EPIPE' ? code : undefined;
}

/**
 * Whether the statement may or may not have taken effect: the connection was lost, or no response
 * came. A FATAL error counts as well, because it may follow a successful commit (the backend was
 * terminated between committing and responding).
 */
export function isOutcomeUnknown(error: unknown): boolean {
  if (error instanceof DatabaseAway) return error.outcomeUnknown;
  if (!(error instanceof Error) || error instanceof Problem || isProgrammers(error)) return false;
  const { severity } = error as Error & { severity?: unknown };
  if (severity === 'FATAL' || severity === 'PANIC') return true;
  const state = sqlStateOf(error);
  return state === undefined || state.startsWith('08') || state.startsWith('57P');
}

/**
 * States that do not blame the statement and leave no effect: resources are short (53: connections,
 * disk, memory), it waited too long (57014, 55P03), it conflicted with another transaction (40001,
 * 40P01), or the server has become a standby (25006).
 */
const NOT_NOW = /^(53...|57014|55P03|40001|40P01|25006)$/;
const BUSY_STATES = /^(57014|55P03|40001|40P01)$/;

/** The statement took too long or conflicted; one of its items may be the cause. */
export const isBusy = (error: unknown) => BUSY_STATES.test(sqlStateOf(error) ?? '');

/** Two transactions conflicted; a retry succeeds. */
export const isConflict = (error: unknown) => /^(40001|40P01)$/.test(sqlStateOf(error) ?? '');

/** Another session did not release a lock in time. */
export const isLockTimeout = (error: unknown) => sqlStateOf(error) === '55P03';

/** Converts an error of `pg` to DatabaseAway if the database is to blame. */
export function asFailure(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (isOutcomeUnknown(error)) return new DatabaseAway(error, { outcomeUnknown: true });
  return NOT_NOW.test(sqlStateOf(error) ?? '') ? databaseAway(error) : error;
}

/** After these errors the connection must not be reused. */
export const spoilsConnection = (error: unknown) =>
  isOutcomeUnknown(error) || sqlStateOf(error) === '25006';

/** Thrown by our code around a statement, such as for an invalid value, not by the connection. */
function isProgrammers(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

const POOLER_REFUSALS = /unsupported startup parameter|no such (database|user)|auth.* failed/;

/**
 * Whether the server refused the connection permanently: wrong user, database or password, or a TLS
 * mismatch. Waiting does not help; every other error is temporary.
 */
export function isRefusedForGood(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error;
  const state = sqlStateOf(cause);
  if (!(cause instanceof Error)) return state === undefined;
  // PgBouncer gives every refusal the same state.
  if (state === '08P01' && POOLER_REFUSALS.test(cause.message)) return true;
  if (state !== undefined) return /^(28|3D|42|0A)/.test(state);
  const { code } = cause as { code?: unknown };
  const isTls = typeof code === 'string' && /CERT|TLS|SSL|ERR_INVALID/.test(code);
  return isProgrammers(cause) || isTls || /SSL|SASL|password/.test(cause.message);
}
