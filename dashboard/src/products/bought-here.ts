// Responses that this tab has received, until it is closed. The library has them too, except those
// without data, which cost nothing.
import { onForget } from '../app/tab-memory.ts';
import { keyOf, type Question } from './question.ts';

export type StoredResponse<T = unknown> = {
  /** When it was bought, by the server's clock. */
  atMs: number;
  creditsCharged: number;
  data: T;
};

/** `boughtAt` as the server wrote it; null for a response that is not in the library. */
type Received = {
  account: string;
  question: Question;
  stored: StoredResponse;
  boughtAt: string | null;
};

const RESPONSES_MAX = 200;

const responses = new Map<string, Received>();
const listeners = new Set<() => void>();
let version = 0;

function notify(): void {
  version += 1;
  for (const listener of listeners) listener();
}

onForget(() => {
  responses.clear();
  notify();
});

export const boughtHere = {
  read: (account: string, question: Question): Received | null =>
    responses.get(`${account} ${keyOf(question)}`) ?? null,
  list: (matches: (received: Received) => boolean): StoredResponse[] =>
    [...responses.values()].filter(matches).map(({ stored }) => stored),
  keep(received: Received): void {
    const key = `${received.account} ${keyOf(received.question)}`;
    responses.delete(key);
    responses.set(key, received);
    const [oldest] = responses.keys();
    if (responses.size > RESPONSES_MAX && oldest !== undefined) responses.delete(oldest);
    notify();
  },
  version: () => version,
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => void listeners.delete(listener);
  },
};
