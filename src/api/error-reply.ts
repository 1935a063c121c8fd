// Errors become HTTP here and nowhere else: one shape, whatever went wrong and wherever.
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../foundation/id.ts';
import type { Log } from '../foundation/log.ts';
import { Problem, type ProblemDetails, type ProblemKind } from '../foundation/problem.ts';
import type { ConnectionBounds } from './connection-bounds.ts';
import { PART_NAMES } from './request-values.ts';

const STATUS: Readonly<Record<ProblemKind, number>> = {
  invalid_request: 400,
  unauthenticated: 401,
  insufficient_credits: 402,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  conflict: 409,
  too_large: 413,
  unsupported_media: 415,
  rate_limited: 429,
  internal: 500,
  source_unavailable: 503,
  temporarily_unavailable: 503,
};

type ErrorBody = {
  error: number;
  message: string;
  code: string;
  request_id: string;
} & ProblemDetails;

export function errorBody(problem: Problem, requestId: string): ErrorBody {
  return {
    error: STATUS[problem.kind],
    message: problem.message,
    code: problem.kind,
    request_id: requestId,
    ...problem.details,
  };
}

export function replyWithError(
  log: Log,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const problem = asProblem(error);
  const status = STATUS[problem.kind];
  if (status >= 500) {
    const cause = (problem.cause ?? problem) as Error;
    // "Not ready yet" has no cause behind it, and is asked for every second of a start.
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

/** The rest of a body that is too large, too slow or not wanted is not read: the connection ends. */
export function isUnread(request: FastifyRequest): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = request.headers;
  const hasBody = encoding !== undefined || (length !== undefined && length !== '0');
  return hasBody && !request.raw.complete;
}

/** What Fastify and its parts throw, as one of ours. */
function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const { code, statusCode, validation, validationContext } = error as {
    code?: string;
    statusCode?: number;
    validation?: ValidationFault[];
    validationContext?: string;
  };
  if (validation !== undefined) {
    return new Problem('invalid_request', validationSentence(validation, validationContext ?? ''));
  }
  switch (code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('too_large', 'The body is too large: at most 65536 bytes are accepted.');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media', 'Bodies must be application/json.');
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('invalid_request', 'The body does not have the length it announced.');
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The address holds a malformed percent-encoding.');
    default:
  }
  if (isAway(error)) {
    const message = 'Not possible at the moment. Nothing was charged; try again shortly.';
    return new Problem('temporarily_unavailable', message, { cause: error });
  }
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new Problem('invalid_request', (error as Error).message, { cause: error });
  }
  return new Problem(
    'internal',
    'Something went wrong on our side. Nothing was charged; name the request_id when you report it.',
    { cause: error },
  );
}

/** Of PostgreSQL: connection, too little of something, an operator, the system; two at once, a lock. */
const AWAY_SQLSTATE = /^(?:08|53|57|58)[0-9A-Z]{3}$|^(?:40001|40P01|55P03|25P03)$/;
/** Of the machine: a lost connection, a full disk, too many files. */
const AWAY_CODES: ReadonlySet<string> = new Set([
  ...[
    'ECONNREFUSED',
    'ECONNRESET',
    'EPIPE',
    'ETIMEDOUT',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
  ],
  ...['EAI_AGAIN', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'],
]);
/** What `pg` says without a code: its pool is used up, or a connection went away. */
const AWAY_WORDS =
  /timeout exceeded when trying to connect|^Connection terminated|^Query read timeout|not queryable|pool after calling end/;
const CAUSES_MAX = 5;

/** Whether the fault is the database's or the machine's, and another moment may be better; causes count as well. */
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

type ValidationFault = {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
  data?: unknown;
  parentSchema?: { description?: string };
};

/** What was wrong, where, and what is allowed: a schema's description says the last. */
function validationSentence(faults: readonly ValidationFault[], part: string): string {
  const fault = faults[0];
  if (fault === undefined) return 'The request is not valid.';
  const where = PART_NAMES[part] ?? 'Value';
  const path = fault.instancePath.slice(1).replaceAll('/', '.');
  if (fault.keyword === 'required') {
    const name = [path, String(fault.params.missingProperty)].filter(Boolean).join('.');
    return `${where} ${name} is required.`;
  }
  if (path === '') {
    if (part === 'body' && (fault.data === undefined || fault.data === null)) {
      return 'A JSON body is required.';
    }
    return `${part === 'body' ? 'The body' : 'The request'} ${fault.message ?? 'is not valid'}.`;
  }
  const allowed = fault.parentSchema?.description ?? fault.message ?? 'valid';
  const given = shown(fault.data);
  return `${where} ${path} must be ${allowed.replace(/^must (be )?/, '')}; got ${given}.`;
}

/** Short, and never the reason why an error cannot be told. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
  } catch {
    return 'what cannot be shown';
  }
}

/**
 * What never became a request: malformed HTTP, headers too large, a client that is too slow. Requests that came before it
 * on the same connection get their responses first.
 */
export function handleClientErrors(connections: ConnectionBounds) {
  const refused = new WeakSet<Socket>();
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET') socket.destroy();
    // What follows is read and dropped: closed with bytes unread, the client might not see the responses.
    if (refused.has(socket)) return;
    refused.add(socket);
    if (!socket.writable) socket.destroy();
    else connections.afterResponses(socket, () => refuseConnection(error, socket));
  };
}

/** A client that was refused has so long to read that, and to close its side. */
const REFUSED_LINGER_MS = 2_000;

function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  const [status, reason, code, message]: [number, string, string, string] =
    error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
      ? [408, 'Request Timeout', 'request_timeout', 'The request did not arrive whole in time.']
      : error.code === 'HPE_HEADER_OVERFLOW'
        ? [431, 'Request Header Fields Too Large', 'too_large', 'The headers are too large.']
        : [400, 'Bad Request', 'invalid_request', 'This is not a well-formed HTTP request.'];
  socket.end(rawResponse(`${status} ${reason}`, { error: status, message, code }));
  const linger = setTimeout(() => socket.destroy(), REFUSED_LINGER_MS).unref();
  socket.once('close', () => clearTimeout(linger));
}

function rawResponse(statusLine: string, error: Omit<ErrorBody, 'request_id'>): string {
  const body = JSON.stringify({ ...error, request_id: newId() });
  return (
    `HTTP/1.1 ${statusLine}\r\ncontent-type: application/json; charset=utf-8\r\nx-content-type-options: nosniff\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  );
}

/** Requests that Node keeps from Fastify: tunnels, and expectations nobody has heard of. */
export function handleOddRequests(app: FastifyInstance, connections: ConnectionBounds): void {
  const refusal = (error: number, code: string, message: string) => ({ error, code, message });
  app.server.on('connect', (_request, socket) => {
    const refused = refusal(405, 'method_not_allowed', 'CONNECT is not possible here.');
    socket.end(rawResponse('405 Method Not Allowed', refused));
  });
  const refuseExpectation = connections.bounded((_request, response) => {
    const message = 'The only expectation that can be met is 100-continue.';
    const refused = { ...refusal(417, 'invalid_request', message), request_id: newId() };
    const body = JSON.stringify(refused);
    response.writeHead(417, {
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
      'x-content-type-options': 'nosniff',
    });
    response.end(body);
  });
  app.server.on('checkExpectation', refuseExpectation);
}
