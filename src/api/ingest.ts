// POST /ingest/snapshots: an operator's crawler sends snapshots as JSON, one a line, as long as it likes.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createOperatorTokens, type OperatorTokens } from '../accounts/operator-tokens.ts';
import { type IngestDeps, ingest } from '../collection/ingest.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import type { MarketLearner } from '../sales/learn-market.ts';

type Deps = IngestDeps & { marketLearner: MarketLearner };

export function openIngest(app: FastifyInstance, deps: Deps): void {
  const tokens = createOperatorTokens(deps.db);
  // In a scope of its own: here bodies are streams, whatever they call themselves.
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
    scope.post('/ingest/snapshots', {
      schema: { hide: true },
      config: { streamsBody: true },
      bodyLimit: bounds.ingestBytesMax,
      onRequest: async (request) => {
        await refuseStrangers(tokens, request);
        refuseTooLarge(Number(request.headers['content-length'] ?? 0), null);
      },
      handler: async (request) => {
        const encoding = request.headers['content-encoding'];
        if (encoding !== undefined && encoding !== 'identity') {
          throw new Problem('content_encoding_unsupported', 'Compressed bodies are not accepted.');
        }
        const body = (request.body ?? []) as AsyncIterable<Uint8Array>;
        let recordedLines = 0;
        const bounded = within(body, () => recordedLines);
        const { refusedCount, heldLines, ...done } = await ingest(deps, bounded, ({ lines }) => {
          recordedLines = lines;
        });
        await deps.marketLearner.noteIngested(done.accepted);
        return { ...done, held_lines: heldLines, refused_count: refusedCount };
      },
    });
  });
}

async function refuseStrangers(tokens: OperatorTokens, request: FastifyRequest) {
  const token = /^Bearer (\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (token !== undefined && (await tokens.opens({ token, scope: 'ingest', from: request })))
    return;
  throw new Problem(
    'operator_token_required',
    'Ingest needs the header "Authorization: Bearer TOKEN" with a token of scope ingest; the command "token create --scope ingest" makes one.',
  );
}

function refuseTooLarge(bytes: number, recordedLines: number | null): void {
  if (bytes <= bounds.ingestBytesMax) return;
  const taken = recordedLines === null ? 'Nothing' : `What came before (${recordedLines} lines)`;
  throw new Problem(
    'body_too_large',
    `A request may have ${bounds.ingestBytesMax} bytes. ${taken} was taken in; send the rest in further requests, sending lines again does no harm.`,
  );
}

/** The body, until it is too long. */
async function* within(
  chunks: AsyncIterable<Uint8Array>,
  recordedLines: () => number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      refuseTooLarge(bytes, recordedLines());
      yield chunk;
    }
  } catch (cause) {
    if (cause instanceof Problem) throw cause;
    throw new Problem('body_incomplete', 'The body broke off before its end.', { cause });
  }
}
