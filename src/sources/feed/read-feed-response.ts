// Reads the responses of a feed. Each record is accepted whole or refused with a reason; a refused
// record does not affect the others.
import { CODE_PATTERN } from '../../catalog/product-code.ts';
import { LINE_BYTES_MAX, readSnapshot } from '../../catalog/read-snapshot.ts';
import type { Snapshot } from '../../catalog/snapshot.ts';
import type { CodesOutcome, FetchOutcome } from '../source.ts';

/** Classes of reasons, few enough for a metric label. */
export type ReasonClass =
  /** An unexpected HTTP status. */
  | 'status'
  /** Not HTTP, or not as requested. */
  | 'protocol'
  | 'too_large'
  | 'not_json'
  /** JSON, but not in the form of this response. */
  | 'form'
  /** A record that breaks a rule of snapshots. */
  | 'record'
  /** A record of a product that was not requested. */
  | 'wrong_code'
  /** A requested code that is missing from the response, or in it twice. */
  | 'incomplete'
  /** A history that is out of order or outside the requested range. */
  | 'order';

export type BadResponse = { kind: 'bad_response'; reason: string; reasonClass: ReasonClass };

export const badResponse = (reasonClass: ReasonClass, reason: string): BadResponse => ({
  kind: 'bad_response',
  reason: reason.slice(0, 500),
  reasonClass,
});

/** Outcomes with the class of their reason, for the metrics. */
export type ReadOutcome = Exclude<FetchOutcome, { kind: 'bad_response' }> | BadResponse;

/** More listings of one GTIN than this are refused. */
const CODES_MAX = 100;

export type Body = { json: unknown; bytes: number };

export function readRecord(body: Body, code: string, nowMs: number): ReadOutcome {
  const read = readOne(body.json, nowMs);
  if (read.kind === 'snapshot' && read.snapshot.code !== code) return wrongCode(read.snapshot);
  return read;
}

const wrongCode = ({ code }: Snapshot) =>
  badResponse('wrong_code', `the record is for ${code}, which was not requested`);

function readOne(value: unknown, nowMs: number): ReadOutcome {
  const read = readSnapshot(value, nowMs);
  if ('refused' in read) return badResponse('record', read.refused);
  return { kind: 'snapshot', snapshot: read.snapshot };
}

export type BatchReading = {
  /** One per requested code. */
  outcomes: Map<string, ReadOutcome>;
  /** Records of codes that were not requested. */
  unrequested: BadResponse[];
};

/** A response that cannot be read at all is one refusal, not one per code. */
export function readBatch(
  body: Body,
  codes: readonly string[],
  nowMs: number,
): BatchReading | BadResponse {
  const { snapshots, missing = [] } = members(body.json);
  if (!Array.isArray(snapshots)) return badResponse('form', 'the batch has no list "snapshots"');
  if (!Array.isArray(missing)) return badResponse('form', 'the batch has no list "missing"');
  const outcomes = new Map<string, ReadOutcome>();
  const unrequested: BadResponse[] = [];
  const requestedCodes = new Set(codes);
  const note = (code: unknown, outcome: ReadOutcome) => {
    if (typeof code !== 'string' || !requestedCodes.has(code)) {
      if (outcome.kind === 'bad_response') unrequested.push(outcome);
      else if (outcome.kind === 'snapshot') unrequested.push(wrongCode(outcome.snapshot));
      return;
    }
    const isFirst = !outcomes.has(code);
    outcomes.set(
      code,
      isFirst ? outcome : badResponse('incomplete', `${code} is in the response twice`),
    );
  };
  // If the whole response is small enough, so is every record.
  const maybeTooLarge = body.bytes > LINE_BYTES_MAX;
  for (const record of snapshots) {
    const code = members(record).retailer_product_code;
    note(code, maybeTooLarge && isTooLarge(record) ? tooLarge() : readOne(record, nowMs));
  }
  for (const code of missing) note(code, { kind: 'not_found' });
  for (const code of codes) {
    if (outcomes.has(code)) continue;
    const reason = `${code} is neither in "snapshots" nor in "missing"`;
    outcomes.set(code, badResponse('incomplete', reason));
  }
  return { outcomes, unrequested };
}

const tooLarge = () => badResponse('too_large', `a record is larger than ${LINE_BYTES_MAX} bytes`);

function isTooLarge(record: unknown): boolean {
  try {
    return Buffer.byteLength(JSON.stringify(record)) > LINE_BYTES_MAX;
  } catch {
    return true; // nested too deeply for JSON.stringify
  }
}

export function readCodes(
  body: Body,
): Exclude<CodesOutcome, { kind: 'bad_response' }> | BadResponse {
  const { codes } = members(body.json);
  const pattern = new RegExp(CODE_PATTERN);
  const isCode = (code: unknown) => typeof code === 'string' && pattern.test(code);
  if (!Array.isArray(codes) || codes.length > CODES_MAX || !codes.every(isCode)) {
    return badResponse('form', `the response has no list "codes" of at most ${CODES_MAX} codes`);
  }
  return { kind: 'codes', codes: [...new Set<string>(codes)] };
}

/** The members of an object; none for any other value. */
function members(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
