// What became of each pasted code: the words for it, and how an answer of the server is read. Pure.
import { ApiProblem, explain } from '../api-problem.ts';
import { countText } from '../design/money.tsx';
import type { PastedCode } from './pasted-codes.ts';

export type AddState =
  | 'waiting'
  | 'added'
  | 'tracked'
  | 'not-found'
  | 'refused'
  | 'limit'
  | 'stopped';

export type AddLine = PastedCode & {
  state: AddState;
  /** The server's sentence where it gave one. */
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
};

export const FAILED: ReadonlySet<AddState> = new Set(['not-found', 'refused', 'limit', 'stopped']);

type Outcome = Pick<AddLine, 'state' | 'detail'>;

/** The server says "tracked already" in two ways: a conflict of tiers, or the old record again. */
export function outcomeOfAnswer(createdAt: string, begunAtMs: number): Outcome {
  return Date.parse(createdAt) < begunAtMs
    ? { state: 'tracked', detail: null }
    : { state: 'added', detail: null };
}

export function outcomeOfError(error: unknown): Outcome {
  const { detail } = explain(error);
  if (!(error instanceof ApiProblem)) return { state: 'refused', detail };
  if (error.status === 404) return { state: 'not-found', detail };
  if (error.status !== 409) return { state: 'refused', detail };
  if ('tracked_products_max' in error.details) return { state: 'limit', detail };
  const { tier } = error.details;
  if (typeof tier !== 'number') return { state: 'refused', detail };
  return { state: 'tracked', detail: `At tier ${tier}, which was not changed.` };
}

/** "9 added, 2 already tracked, 1 not found." */
export function summaryOf(lines: readonly AddLine[]): string {
  const counts = new Map<AddState, number>();
  for (const { state } of lines) counts.set(state, (counts.get(state) ?? 0) + 1);
  const order: AddState[] = ['added', 'tracked', 'not-found', 'refused', 'limit', 'stopped'];
  const said = order.flatMap((state) => {
    const count = counts.get(state);
    const words = state === 'limit' ? 'over the limit' : STATE_WORDS[state].toLowerCase();
    return count === undefined ? [] : [`${countText(count)} ${words}`];
  });
  return said.length === 0 ? 'Nothing sent yet.' : `${said.join(', ')}.`;
}
