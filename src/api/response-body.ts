// The body of a response: written in the requested format, compressed, and tagged if it is paid.
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { bounds } from '../foundation/bounds.ts';
import type { Encoding } from '../foundation/compression.ts';
import type { Log } from '../foundation/log.ts';
import {
  compress,
  compressStream,
  encodingFor,
  isWorthCompressing,
  varyBy,
} from './content-encoding.ts';
import { type Parts, startParts } from './heavy-requests.ts';
import { namesTag, type ResponseTags } from './response-tag.ts';
import {
  type Format,
  formatOf,
  type ListShape,
  MEDIA_TYPES,
  type Table,
  tableOf,
  tableParts,
} from './table-response.ts';

/** What an endpoint returns: one of these members, or none for a response without a body. */
export type ResponseBody = {
  /** A value to serialize as JSON, or JSON bytes. */
  json?: unknown;
  /** JSON, or the type that the headers name, streamed while it is written. */
  parts?: Parts;
  /** Records, in the format that the request asks for. */
  table?: Table;
  /** JSON bytes that are already compressed, with what determines them instead of a hash. */
  encoded?: { bytes: Buffer; encoding: Encoding; version: Uint8Array };
  headers?: Readonly<Record<string, string>>;
};

export type Payload = string | Buffer | Readable;

/** A body that is ready to be sent. */
export type ReadyBody = {
  payload: Payload | undefined;
  encoding: Encoding | null;
  contentType: string;
  /** Names this representation to the account that paid for it; null for other responses. */
  tag: string | null;
  /** The client has this body, and has paid for it: 304. */
  isNotModified: boolean;
};

type BodyInput = {
  body: ResponseBody;
  list: ListShape | undefined;
  request: FastifyRequest;
  /** Who pays for it, and when; null for a free response. */
  paid: { accountId: string; nowMs: number; operation: string } | null;
};

type Deps = { log: Log; responseTags: ResponseTags };

/** Everything that may fail is done here, before the charge. */
export async function prepareBody(deps: Deps, input: BodyInput): Promise<ReadyBody> {
  const { body, request } = input;
  const format = input.list === undefined && body.table === undefined ? 'json' : formatOf(request);
  const plain = body.encoded?.bytes ?? (await writeBody(deps, input, format));
  const encoding = body.encoded?.encoding ?? encodingOf(input, plain);
  const contentType = MEDIA_TYPES[format];
  const tag = tagOf(deps, input, { plain, representation: `${format} ${encoding}` });
  if (tag !== null && namesTag(request.headers['if-none-match'], tag)) {
    return { payload: undefined, encoding, contentType, tag, isNotModified: true };
  }
  const isPlain = encoding === null || body.encoded !== undefined || plain === undefined;
  const payload = isPlain ? plain : await encoded(plain, encoding);
  return { payload, encoding, contentType, tag, isNotModified: false };
}

/** A string is sent in one write with its headers, bytes in two: small bodies stay strings. */
async function writeBody(
  { log }: Deps,
  { body, list, request, paid }: BodyInput,
  format: Format,
): Promise<Payload | undefined> {
  const { json, table } = body;
  const isConverted = list !== undefined && format !== 'json' && json !== undefined;
  const records = isConverted ? tableOf(list, json) : table;
  const parts = records === undefined ? body.parts : tableParts(records, format);
  if (parts !== undefined) {
    const onFailure = (error: unknown) => {
      log.warn({ request_id: request.id, reason: String(error) }, 'response broke off');
    };
    // A tag needs the whole body, and only a paid response has one.
    return startParts(parts, onFailure, paid === null ? undefined : bounds.taggedCharsMax);
  }
  if (json === undefined || Buffer.isBuffer(json)) return json;
  return JSON.stringify(json);
}

/**
 * Only responses to GET are compressed. No GET returns a secret, so nobody can find one out by
 * adding text of their own and measuring the length (decision 24).
 */
function encodingOf({ body, request }: BodyInput, payload: Payload | undefined): Encoding | null {
  if (request.method !== 'GET' || payload === undefined) return null;
  // Pictures are compressed already.
  if (!/^(?:application\/json|text\/|image\/svg)/.test(body.headers?.['content-type'] ?? 'text/'))
    return null;
  if (!(payload instanceof Readable) && !isWorthCompressing(payload.length)) return null;
  return encodingFor(request.headers['accept-encoding']);
}

function encoded(payload: Payload, encoding: Encoding): Payload | Promise<Buffer> {
  if (payload instanceof Readable) return compressStream(payload, encoding);
  return compress(typeof payload === 'string' ? Buffer.from(payload) : payload, encoding) as Buffer;
}

/** Sessions get none: the dashboard stores what was paid, and its responses are not cached. */
function tagOf(
  { responseTags }: Deps,
  { body, request, paid }: BodyInput,
  { plain, representation }: { plain: Payload | undefined; representation: string },
): string | null {
  const content = body.encoded?.version ?? plain;
  if (paid === null || request.method !== 'GET' || request.person !== null) return null;
  if (content === undefined || content instanceof Readable) return null;
  return responseTags.tagOf({ ...paid, representation, content });
}

/** Sets the headers that describe the body. */
export function describeBody(
  reply: FastifyReply,
  ready: ReadyBody,
  { isList }: { isList: boolean },
): void {
  const { encoding, tag } = ready;
  if (ready.payload !== undefined) reply.header('content-type', ready.contentType);
  if (encoding !== null && !ready.isNotModified) reply.header('content-encoding', encoding);
  if (reply.request.method === 'GET') varyBy(reply, 'accept-encoding');
  if (isList) varyBy(reply, 'accept');
  if (tag === null) return;
  reply.header('etag', tag);
  reply.header('cache-control', 'private, no-cache');
}
