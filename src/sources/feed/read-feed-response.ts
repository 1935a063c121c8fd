// Reads what a feed answers: each record is taken whole or refused with a reason, and a refused one spoils
// no other.
import { CODE_PATTERN } from '../../catalog/product-code.ts';
import { LINE_BYTES_MAX, readSnapshot } from '../../catalog/read-snapshot.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { CodesOutcome, FetchOutcome } from '../source.ts';

/** Classes of reasons, few enough to be counted apart. */
export type ReasonClass =
  /** A status that no feed answers. */
  | 'status'
  /** Not HTTP, or not as it was asked for. */
  | 'protocol'
  | 'too_large'
  | 'not_json'
  /** JSON, but not of the form of this answer. */
  | 'form'
  /** A record that breaks a rule of snapshots. */
  | 'record'
  /** A record of a product that was not asked for. */
  | 'wrong_code'
  /** A code that was asked for and not answered, or answered in two ways. */
  | 'incomplete'
  /** A history that is not in order, or not of the asked time. */
  | 'order';

export type BadResponse = { kind: 'bad_answer'; reason: string; reasonClass: ReasonClass };

export const badResponse = (reasonClass: ReasonClass, reason: string): BadResponse => ({
  ...{ kind: 'bad_answer', reason: reason.slice(0, 500), reasonClass },
});

/** Outcomes with their classes, so that they can be counted. */
export type ReadOutcome = Exclude<FetchOutcome, { kind: 'bad_answer' }> | BadResponse;

/** More listings of one GTIN than this are no answer. */
const CODES_MAX = 100;

export type Body = { json: unknown; bytes: number };

export function readRecord(body: Body, code: string, now: number): ReadOutcome {
  const read = readOne(body.json, now);
  if (read.kind === 'snapshot' && read.snapshot.code !== code) return wrongCode(read.snapshot);
  return read;
}

const wrongCode = ({ code }: Snapshot) =>
  badResponse('wrong_code', `the record is of ${code}, which was not asked for`);

function readOne(value: unknown, now: number): ReadOutcome {
  const read = readSnapshot(value, now);
  if ('refused' in read) return badResponse('record', read.refused);
  return { kind: 'snapshot', snapshot: read.snapshot };
}

export type BatchReading = {
  /** One for each code that was asked for. */
  outcomes: Map<string, ReadOutcome>;
  /** Records that belong to none of them. */
  strays: BadResponse[];
};

/** An answer that cannot be read at all is one refusal, not one for each code. */
export function readBatch(
  body: Body,
  codes: readonly string[],
  now: number,
): BatchReading | BadResponse {
  const { snapshots, missing = [] } = members(body.json);
  if (!Array.isArray(snapshots)) return badResponse('form', 'the batch has no list "snapshots"');
  if (!Array.isArray(missing)) return badResponse('form', 'the batch has no list "missing"');
  const outcomes = new Map<string, ReadOutcome>();
  const strays: BadResponse[] = [];
  const asked = new Set(codes);
  const note = (code: unknown, outcome: ReadOutcome) => {
    if (typeof code !== 'string' || !asked.has(code)) {
      if (outcome.kind === 'bad_answer') strays.push(outcome);
      else if (outcome.kind === 'snapshot') strays.push(wrongCode(outcome.snapshot));
      return;
    }
    const isFirst = !outcomes.has(code);
    outcomes.set(code, isFirst ? outcome : badResponse('incomplete', `${code} is answered twice`));
  };
  // No record can be too large while all of them together are not.
  const maybeTooLarge = body.bytes > LINE_BYTES_MAX;
  for (const record of snapshots) {
    const code = members(record).retailer_product_code;
    note(code, maybeTooLarge && isTooLarge(record) ? tooLarge() : readOne(record, now));
  }
  for (const code of missing) note(code, { kind: 'not_found' });
  for (const code of codes) {
    if (outcomes.has(code)) continue;
    const reason = `${code} is neither among the snapshots nor among the missing`;
    outcomes.set(code, badResponse('incomplete', reason));
  }
  return { outcomes, strays };
}

const tooLarge = () => badResponse('too_large', `a record is larger than ${LINE_BYTES_MAX} bytes`);

function isTooLarge(record: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(record)) > LINE_BYTES_MAX;
  } catch {
    return true; // nested so deep that it cannot even be written
  }
}

export function readCodes(body: Body): Exclude<CodesOutcome, { kind: 'bad_answer' }> | BadResponse {
  const { codes } = members(body.json);
  const pattern = new RegExp(CODE_PATTERN);
  const isCode = (code: unknown) => typeof code === 'string' && pattern.test(code);
  if (!Array.isArray(codes) || codes.length > CODES_MAX || !codes.every(isCode)) {
    return badResponse('form', `the answer has no list "codes" of at most ${CODES_MAX} codes`);
  }
  return { kind: 'codes', codes: [...new Set<string>(codes)] };
}

/** Whatever it is, its members; none where there are none. */
function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
