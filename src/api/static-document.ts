// Static documents: kept in one shared buffer, sent with an ETag and in a precompressed encoding.
import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';

type Encoding = 'br' | 'gzip';

export type StaticDocument = {
  bytes: Buffer;
  packed: Readonly<Partial<Record<Encoding, Buffer>>>;
  /** ETag of the uncompressed bytes; each encoding appends its name. */
  tag: string;
  headers: Readonly<Record<string, string>>;
};

export function staticDocument(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
  packed: StaticDocument['packed'] = {},
): StaticDocument {
  const tag = hash('sha256', bytes, 'base64url').slice(0, 22);
  return { bytes, packed, tag, headers: { 'cache-control': 'no-cache', ...headers } };
}

const zip = promisify(gzip);

/** For large texts generated while the service runs. */
export async function zippedDocument(
  bytes: Buffer,
  headers: Readonly<Record<string, string>>,
): Promise<StaticDocument> {
  return staticDocument(bytes, headers, { gzip: await zip(bytes) });
}

export function sendDocument(
  request: FastifyRequest,
  reply: FastifyReply,
  document: StaticDocument,
): FastifyReply {
  const { packed, headers } = document;
  const encoding = encodingFor(request.headers['accept-encoding'], packed);
  const tag = `"${document.tag}${encoding === null ? '' : `-${encoding}`}"`;
  reply.headers(headers).header('etag', tag);
  if (packed.br !== undefined || packed.gzip !== undefined) {
    reply.header('vary', 'accept-encoding');
  }
  if (isKnown(request.headers['if-none-match'], tag)) {
    return reply.removeHeader('content-type').code(304).send();
  }
  if (encoding !== null) reply.header('content-encoding', encoding);
  return reply.send(encoding === null ? document.bytes : packed[encoding]);
}

function encodingFor(
  accepted: string | string[] | undefined,
  packed: StaticDocument['packed'],
): Encoding | null {
  const names = String(accepted ?? '')
    .toLowerCase()
    .split(',')
    .map((one) => one.trim())
    // "q=0" excludes an encoding.
    .filter((one) => !/;\s*q=0(?:\.0*)?$/.test(one))
    .map((one) => one.replace(/\s*;.*$/, ''));
  if (packed.br !== undefined && names.includes('br')) return 'br';
  return packed.gzip !== undefined && names.includes('gzip') ? 'gzip' : null;
}

/** Ignores the weak marker, which a compressing proxy adds to the tag. */
function isKnown(ifNoneMatch: string | string[] | undefined, tag: string): boolean {
  const tags = String(ifNoneMatch ?? '').split(',');
  return tags.some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')));
}
