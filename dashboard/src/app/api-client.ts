// The only way to call the server: `call('GET /retailer/webhooks')`, typed by the generated
// operations.

import type { paths } from '../api-types.ts';
import { ApiProblem } from './api-problem.ts';
import { shownAccount } from './shown-account.ts';

type Method = 'get' | 'post' | 'patch' | 'delete';

/** `GET /retailer/webhooks`: the methods and paths of the API. */
export type Operation = {
  [P in keyof paths & string]: {
    [M in Method]: paths[P][M] extends { responses: object } ? `${Uppercase<M>} ${P}` : never;
  }[Method];
}[keyof paths & string];

type Described<O extends Operation> = O extends `${infer M} ${infer P extends keyof paths & string}`
  ? paths[P][Lowercase<M> & Method]
  : never;

type JsonOf<T> = T extends { content: { 'application/json': infer Body } } ? Body : undefined;
type Succeeded<R> = { [S in keyof R]: S extends 200 | 201 | 202 | 204 ? JsonOf<R[S]> : never };
type ValueOf<T> = T[keyof T];

export type ResponseOf<O extends Operation> =
  Described<O> extends { responses: infer R } ? ValueOf<Succeeded<R>> : never;

type ParameterOf<O extends Operation, K extends 'path' | 'query'> =
  Described<O> extends { parameters: { [P in K]?: infer Values } } ? Values : undefined;

type Parts<O extends Operation> = {
  params: ParameterOf<O, 'path'>;
  query: ParameterOf<O, 'query'>;
  body: Described<O> extends { requestBody: infer Body } ? JsonOf<Body> : undefined;
};

/** A part of the request is optional when all its members are. */
type Part<O extends Operation, K extends 'params' | 'query' | 'body'> =
  Partial<Parts<O>[K]> extends Parts<O>[K] ? { [P in K]?: Parts<O>[K] } : { [P in K]: Parts<O>[K] };

type Input<O extends Operation> = Part<O, 'params'> &
  Part<O, 'query'> &
  Part<O, 'body'> & {
    signal?: AbortSignal | undefined;
    /** Sent as x-max-credits: the server refuses a request that costs more than the button said. */
    maxCredits?: number | undefined;
    /**
     * Sent as x-library-refresh: when the replaced response was bought. Without it, a fresh one
     * is returned from the library for free.
     */
    refreshOf?: string | undefined;
  };

/** The input is optional when all its parts are. */
type InputArguments<O extends Operation> =
  Partial<Input<O>> extends Input<O> ? [input?: Input<O>] : [input: Input<O>];

export type FullResponse<T> = {
  data: T;
  /** The `after` of the next page, or null on the last page. */
  next: string | null;
  creditsCharged: number | null;
  creditsRemaining: number | null;
  /** When the response was bought, if it is in the library. */
  boughtAt: string | null;
};

type Listener<T> = (value: T) => void;
const creditListeners = new Set<Listener<number>>();
const signedOutListeners = new Set<() => void>();

/** Called after every response that reports the remaining credits. */
export function onCreditsRemaining(listener: Listener<number>): () => void {
  creditListeners.add(listener);
  return () => creditListeners.delete(listener);
}

/** Called when any request shows that the session has ended. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

export async function call<O extends Operation>(
  operation: O,
  ...args: InputArguments<O>
): Promise<ResponseOf<O>> {
  return (await callWithHeaders(operation, ...args)).data;
}

/** Like `call`, but also returns what the headers say: next page, credits charged and remaining. */
export async function callWithHeaders<O extends Operation>(
  operation: O,
  ...args: InputArguments<O>
): Promise<FullResponse<ResponseOf<O>>> {
  const { response, creditsRemaining } = await send(operation, (args[0] ?? {}) as LooseInput);
  return {
    data: (await bodyOf(response)) as ResponseOf<O>,
    next: nextPageOf(response.headers.get('link')),
    creditsCharged: numberIn(response, 'x-credits-charged'),
    creditsRemaining,
    boughtAt: response.headers.get('x-library-bought-at'),
  };
}

async function send(
  operation: string,
  input: LooseInput,
): Promise<{ response: Response; creditsRemaining: number | null }> {
  const [method = 'GET', path = '/'] = operation.split(' ');
  const response = await fetch(addressOf(path, input), {
    method,
    credentials: 'same-origin',
    headers: headersOf(operation, input),
    body: input.body === undefined ? null : JSON.stringify(input.body),
    signal: input.signal ?? null,
  });
  const creditsRemaining = numberIn(response, 'x-credits-remaining');
  if (creditsRemaining !== null) for (const notify of creditListeners) notify(creditsRemaining);
  if (!response.ok) throw await problemIn(response);
  return { response, creditsRemaining };
}

/** The URL of a download, for a plain link: `downloadPath('/session/ledger.csv', filters)`. */
export function downloadPath(path: string, query: Query = {}): string {
  return addressOf(path, { query });
}

type Query = Readonly<Record<string, unknown>>;
type LooseInput = {
  params?: Readonly<Record<string, string>>;
  query?: Query;
  body?: unknown;
  signal?: AbortSignal;
  maxCredits?: number;
  refreshOf?: string;
};

function addressOf(path: string, { params, query }: LooseInput): string {
  const resolvedPath = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params?.[name];
    if (value === undefined) throw new Error(`The path ${path} needs ${name}.`);
    return encodeURIComponent(value);
  });
  // Every public endpoint is also served under the prefix /session.
  const prefixed = /^\/session(?=[/.?]|$)/.test(resolvedPath)
    ? resolvedPath
    : `/session${resolvedPath}`;
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {}))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item));
  const text = search.toString();
  return text === '' ? prefixed : `${prefixed}?${text}`;
}

function headersOf(operation: string, input: LooseInput): Record<string, string> {
  const headers: Record<string, string> = { accept: 'application/json' };
  const method = operation.split(' ')[0];
  // GET /session asks who is signed in, so it must not name an account.
  const account = operation === 'GET /session' ? null : shownAccount();
  if (account !== null) headers['x-account-id'] = account;
  // Also without a body: the server accepts changes only as JSON, which a foreign form cannot send.
  if (method !== 'GET') headers['content-type'] = 'application/json';
  const { maxCredits, refreshOf } = input;
  if (maxCredits !== undefined) headers['x-max-credits'] = String(maxCredits);
  if (refreshOf !== undefined) headers['x-library-refresh'] = refreshOf;
  return headers;
}

async function bodyOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  const text = await response.text();
  return text === '' ? undefined : JSON.parse(text);
}

async function problemIn(response: Response): Promise<ApiProblem> {
  let body: Record<string, unknown> = {};
  try {
    body = JSON.parse(await response.text());
  } catch {
    // A proxy's error page: only the status is known.
  }
  const problem = new ApiProblem(response.status, body);
  if (problem.code === 'other_account_signed_in') location.reload();
  // Wrong credentials are a 401 as well, but say nothing about the session.
  if (problem.status === 401 && problem.code !== 'credentials_incorrect') notifySignedOut();
  return problem;
}

function notifySignedOut(): void {
  for (const notify of signedOutListeners) notify();
}

/** The error of a request whose response says that nobody is signed in. */
export function noSession(): ApiProblem {
  notifySignedOut();
  return new ApiProblem(401, { code: 'unauthenticated', message: 'You are signed out.' });
}

function numberIn(response: Response, header: string): number | null {
  const value = response.headers.get(header);
  return value === null || value === '' ? null : Number(value);
}

function nextPageOf(link: string | null): string | null {
  const address = link?.match(/<([^>]*)>\s*;\s*rel="?next"?/)?.[1];
  if (address === undefined) return null;
  return new URL(address, location.origin).searchParams.get('after');
}
