// Turns every error into an HTTP response of the same shape.
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { bounds } from '../foundation/bounds.ts';
import type { ErrorCode } from '../foundation/error-codes.ts';
import { STATUS_OF_KIND } from '../foundation/error-kind.ts';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { Problem, type ProblemDetails } from '../foundation/problem.ts';
import type { ConnectionBounds } from './connection-bounds.ts';
import { ERRORS_PATH } from './errors-page.ts';
import { type ValidationFault, validationProblem } from './validation-problem.ts';

type ErrorBody = {
  error: number;
  message: string;
  code: ErrorCode;
  field?: string;
  doc_url: string;
  request_id: string;
} & ProblemDetails;

export function errorBody(problem: Problem, requestId: string): ErrorBody {
  const { code, field, details } = problem;
  return {
    error: STATUS_OF_KIND[problem.kind],
    message: problem.message,
    code,
    ...(field === undefined ? {} : { field }),
    doc_url: `${ERRORS_PATH}#${code}`,
    request_id: requestId,
    ...details,
  } as ErrorBody;
}

export function replyWithError(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = asProblem(error, request.routeOptions?.bodyLimit);
  const status = STATUS_OF_KIND[problem.kind];
  if (status >= 500) {
    const cause = (problem.cause ?? problem) as Error;
    // "Not ready" has no cause and is polled every second during a start: log it as debug.
    const level = problem.kind !== 'internal' && problem.cause === undefined ? 'debug' : 'error';
    log[level](
      {
        request_id: request.id,
        route: request.routeOptions.url,
        err: String(cause?.stack ?? cause),
      },
      'request failed',
    );
  }
  const waitMs = problem.details.retry_after_ms;
  if (typeof waitMs === 'number') reply.header('retry-after', Math.ceil(waitMs / 1000));
  if (problem.kind === 'unauthenticated') reply.header('www-authenticate', 'ApiKey');
  if (status === 503) reply.header('retry-after', '1');
  if (isUnread(request)) reply.header('connection', 'close');
  return reply
    .code(status)
    .header('x-request-id', request.id)
    .header('content-type', 'application/json; charset=utf-8')
    .header('x-content-type-options', 'nosniff')
    .send(JSON.stringify(errorBody(problem, request.id)));
}

/** Whether part of the body is unread. The rest is not read: the connection must be closed. */
export function isUnread(request: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  return hasBody && !request.raw.complete;
}

/** Converts errors of Fastify, `pg` and Node to a `Problem`. */
export function asProblem(error: unknown, bodyBytesMax: number = bounds.bodyBytesMax): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode, validation, validationContext } = error as {
    code?: string;
    statusCode?: number;
    validation?: ValidationFault[];
    validationContext?: string;
  };
  if (validation !== undefined) return validationProblem(validation, validationContext ?? '');
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem(
        'body_too_large',
        `The body is too large; at most ${bodyBytesMax} bytes are allowed.`,
      );
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(
        'media_type_unsupported',
        'The body must be JSON. Send `content-type: application/json`.',
      );
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem(
        'body_incomplete',
        'The length of the body differs from `content-length`.',
      );
    case 'FST_ERR_BAD_URL':
      return new Problem('url_malformed', 'The URL contains a malformed percent-encoding.');
    default:
  }
  if (isAway(error)) {
    const message = 'Temporarily unavailable. Nothing was charged. Try again in a few seconds.';
    return new Problem('temporarily_unavailable', message, { cause: error });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', (error as Error).message, { cause: error });
  }
  return new Problem(
    'internal',
    'Internal error. Nothing was charged. Include `request_id` when you report it.',
    { cause: error },
  );
}

/**
 * PostgreSQL: connection errors, exhausted resources, operator intervention, system errors, and
 * serialization, deadlock, lock and transaction timeouts.
 */
const AWAY_SQLSTATE = /^(?:08|53|57|58)[0-9A-Z]{3}$|^(?:40001|40P01|55P03|25P03)$/;
/** Operating system: a lost connection, a full disk, too many open files. */
const AWAY_CODES: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOSPC',
  'EDQUOT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
  'EAGAIN',
]);
/** Messages of `pg` that have no code: the pool is exhausted, or a connection was lost. */
const AWAY_WORDS =
  /timeout exceeded when trying to connect|^Connection terminated|^Query read timeout|not queryable|pool after calling end/;
const CAUSES_MAX = 5;

/** Whether the error or one of its causes is temporary: the database's or the machine's fault. */
function isAway(error: unknown): boolean {
  let one = error;
  for (let depth = 0; depth < CAUSES_MAX && one instanceof Error; depth++) {
    const { code, severity } = one as { code?: unknown; severity?: unknown };
    if (severity === 'FATAL' || severity === 'PANIC') return true;
    if (typeof code === 'string' && (AWAY_SQLSTATE.test(code) || AWAY_CODES.has(code))) return true;
    if (AWAY_WORDS.test(one.message)) return true;
    one = one.cause;
  }
  return false;
}

/**
 * Handles what never became a request: malformed HTTP, oversized headers, slow clients. Earlier
 * requests of the same connection get their responses first.
 */
export function handleClientErrors(connections: ConnectionBounds) {
  const refused = new WeakSet<Socket>();
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    // Read and drop what follows: closing with unread bytes could lose the responses.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable) socket.destroy();
    else connections.afterResponses(socket, () => refuseConnection(error, socket));
  };
}

/** Time a refused client has to read the response and close its side. */
const REFUSED_LINGER_MS = 2_000;

function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  const problem =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? new Problem('request_timeout', 'The request did not arrive in time. Send it again.')
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? new Problem('headers_too_large', 'The request headers are too large.')
        : new Problem('http_malformed', 'The request is not well-formed HTTP.');
  socket.end(rawResponse(problem));
  const linger = setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function rawResponse(problem: Problem): string {
  const status = STATUS_OF_KIND[problem.kind];
  const body = JSON.stringify(errorBody(problem, newId()));
  return (
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\ncontent-type: application/json; charset=utf-8\r\n` +
    `x-content-type-options: nosniff\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
    `connection: close\r\n\r\n${body}`
  );
}

/** Requests that Node does not pass to Fastify: CONNECT, and unknown `expect` headers. */
export function handleOddRequests(app: FastifyInstance, connections: ConnectionBounds): void {
  app.server.on('connect', (_request, socket) => {
    socket.end(rawResponse(new Problem('method_not_allowed', 'CONNECT is not supported.')));
  });
  const refuseExpectation = connections.bounded((_request, response) => {
    const message = 'Header `expect` must be 100-continue.';
    const problem = new Problem('expectation_failed', message, { field: 'expect' });
    const body = JSON.stringify(errorBody(problem, newId()));
    response.writeHead(STATUS_OF_KIND[problem.kind], {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    });
    response.end(body);
  });
  app.server.on('checkExpectation', refuseExpectation);
}
