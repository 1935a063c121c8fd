// The outcome of each pasted code: its label, and how a response is read. Pure.
import { ApiProblem, explain } from '../app/api-problem.ts';
import { guessKind } from '../app/product-number.ts';
import { countText } from '../design/money.tsx';
import type { PastedCode, PasteProblem } from './pasted-codes.ts';

export type AddState =
  | 'waiting'
  | 'added'
  | 'tracked'
  | 'not-found'
  | 'refused'
  | 'limit'
  | 'stopped'
  | 'left-out';

export type AddLine = PastedCode & {
  state: AddState;
  /** The server's message, if there is one. */
  detail: string | null;
};

export const STATE_WORDS: Record<AddState, string> = {
  waiting: 'Waiting',
  added: 'Added',
  tracked: 'Already tracked',
  'not-found': 'Not found',
  refused: 'Refused',
  limit: 'Limit reached',
  stopped: 'Not sent',
  'left-out': 'Skipped',
};

/** Words that are not sent. */
export const ALREADY_TRACKED = 'already tracked';

/** One line per pasted word, in that order: codes to send are waiting, the rest are done. */
export function linesOf(
  codes: readonly PastedCode[],
  problems: readonly PasteProblem[],
): AddLine[] {
  const waiting = codes.map((one): AddLine => ({ ...one, state: 'waiting', detail: null }));
  const skipped = problems.map(({ text, reason, ...where }): AddLine => {
    if (reason === ALREADY_TRACKED) return { ...where, code: text, state: 'tracked', detail: null };
    const detail = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
    return { ...where, code: text, state: 'left-out', detail };
  });
  return [...waiting, ...skipped].sort((a, b) => a.position - b.position);
}

/** Barcodes are often pasted instead of product codes. */
export const looksLikeBarcode = (code: string) => guessKind(code) !== 'retailer_product_code';

const barcodeText = (code: string) =>
  `Looks like ${guessKind(code) === 'upc' ? 'a UPC' : 'an EAN'}. Look it up to get its product code.`;

export const FAILED: ReadonlySet<AddState> = new Set(['not-found', 'refused', 'limit', 'stopped']);

type Outcome = Pick<AddLine, 'state' | 'detail'>;

type Result = { status: number; error?: Readonly<Record<string, unknown>> | undefined };

/** The outcome of one item of a bulk call. */
export function outcomeOfResult(result: Result | undefined, code: string): Outcome {
  if (result?.status === 201) return { state: 'added', detail: null };
  if (result?.status === 200) return { state: 'tracked', detail: null };
  return outcomeOfError(new ApiProblem(result?.status ?? 500, result?.error ?? {}), code);
}

const NOT_FOUND: ReadonlySet<string> = new Set(['product_not_found', 'product_delisted']);

export function outcomeOfError(error: unknown, code: string): Outcome {
  const { detail } = explain(error);
  if (!(error instanceof ApiProblem)) return { state: 'refused', detail };
  if (NOT_FOUND.has(error.code))
    return { state: 'not-found', detail: looksLikeBarcode(code) ? barcodeText(code) : detail };
  if (error.code === 'tracked_product_limit_reached') return { state: 'limit', detail };
  if (error.code !== 'tracked_product_tier_conflict') return { state: 'refused', detail };
  const { tier } = error.details;
  return { state: 'tracked', detail: `At tier ${tier}; the tier was not changed.` };
}

/** "9 added, 2 already tracked, 1 not found." */
export function summaryOf(lines: readonly AddLine[]): string {
  const counts = new Map<AddState, number>();
  for (const { state } of lines) counts.set(state, (counts.get(state) ?? 0) + 1);
  const order: AddState[] = [
    ...(['added', 'tracked', 'not-found', 'refused', 'limit', 'stopped', 'left-out'] as const),
  ];
  const said = order.flatMap((state) => {
    const count = counts.get(state);
    const words = state === 'limit' ? 'over the limit' : STATE_WORDS[state].toLowerCase();
    return count === undefined ? [] : [`${countText(count)} ${words}`];
  });
  return said.length === 0 ? 'Nothing sent yet.' : `${said.join(', ')}.`;
}
