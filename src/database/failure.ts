// What an error of the database means: the server cannot be used at the moment, or the statement itself is wrong;
// and whether it was carried out.
import { Problem } from '../foundation/problem.ts';

/**
 * The database could not be used: 503 for whoever asked. Nothing is wrong with the statement, so that it may be sent
 * again unless its outcome is unknown: then a commit may have happened, which must be found out, never guessed.
 */
export class DatabaseAway extends Problem {
  readonly outcomeUnknown: boolean;

  constructor(cause: unknown, { outcomeUnknown }: { outcomeUnknown: boolean }) {
    const message = outcomeUnknown ? UNKNOWN : isBusy(cause) ? BUSY : UNREACHABLE;
    super(outcomeUnknown ? 'outcome_unknown' : 'temporarily_unavailable', message, { cause });
    this.outcomeUnknown = outcomeUnknown;
  }

  /** For logs, which print errors as text: with the reason, which callers are not shown. */
  override toString(): string {
    return `${super.toString()} (${this.cause instanceof Error ? this.cause.message : this.cause})`;
  }
}

const UNREACHABLE =
  'The service cannot reach its database at the moment. Nothing was charged; try again shortly.';
const UNKNOWN =
  'The service lost its database while it worked on this request, which may have been carried out. Check before you repeat it; no day is charged twice.';
const BUSY = 'The database is busy at the moment. Nothing was charged; try again shortly.';

/** What a customer is told while the database cannot be used; nothing was done. */
export function databaseAway(cause: unknown): DatabaseAway {
  return new DatabaseAway(cause, { outcomeUnknown: false });
}

const SQLSTATE = /^[0-9A-Z]{5}$/;

/** The five characters by which the server names an error; also of one that was passed on as a Problem. */
export function sqlStateOf(error: unknown): string | undefined {
  if (error instanceof Problem) return sqlStateOf(error.cause);
  const code = (error as { code?: unknown } | null | undefined)?.code;
  // EPIPE is no state of the server's: it comes from the socket.
  return typeof code === 'string' && SQLSTATE.test(code) && code !== 'EPIPE' ? code : undefined;
}

/**
 * Whether the error leaves open what became of the statement: the connection went away, or its response
 * did not come. A FATAL error may follow a commit that was made (the backend was told to end between
 * committing and responding), so it counts as well.
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
 * States that say nothing about the statement and leave nothing behind: resources are short (53: connections, disk,
 * memory), it waited too long (57014, 55P03), it met another transaction (40001, 40P01), or the server has become a
 * standby (25006).
 */
const NOT_NOW = /^(53...|57014|55P03|40001|40P01|25006)$/;
const BUSY_STATES = /^(57014|55P03|40001|40P01)$/;

/** The statement took too long or met others: it may be one of its items that did. */
export const isBusy = (error: unknown) => BUSY_STATES.test(sqlStateOf(error) ?? '');

/** Two transactions stood in each other's way: the same again goes through. */
export const isConflict = (error: unknown) => /^(40001|40P01)$/.test(sqlStateOf(error) ?? '');

/** A lock that somebody else held was not given up in time. */
export const isLockTimeout = (error: unknown) => sqlStateOf(error) === '55P03';

/** What a statement of ours failed with, as the house knows it. */
export function asFailure(error: unknown): unknown {
  if (error instanceof Problem) return error;
  if (isOutcomeUnknown(error)) return new DatabaseAway(error, { outcomeUnknown: true });
  return NOT_NOW.test(sqlStateOf(error) ?? '') ? databaseAway(error) : error;
}

/** After these the connection is of no use to the next who asks. */
export const spoilsConnection = (error: unknown) =>
  isOutcomeUnknown(error) || sqlStateOf(error) === '25006';

/** Thrown by our own code around a statement, such as a value that cannot be written, and not by the connection. */
function isProgrammers(error: Error): boolean {
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}

/**
 * Whether the server turned the connection itself down for good: no such user, database or password, or TLS that the two
 * sides do not agree on. Waiting does not help; everything else passes.
 */
export function isRefusedForGood(error: unknown): boolean {
  const cause = error instanceof Problem ? error.cause : error;
  const state = sqlStateOf(cause);
  if (state !== undefined) return /^(28|3D|42|0A)/.test(state);
  if (!(cause instanceof Error)) return true;
  const { code } = cause as { code?: unknown };
  const isTls = typeof code === 'string' && /CERT|TLS|SSL|ERR_INVALID/.test(code);
  return isProgrammers(cause) || isTls || /SSL|SASL|password/.test(cause.message);
}
