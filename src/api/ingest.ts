// POST /ingest/snapshots: accepts a stream of snapshots, one JSON object per line, from operators.
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { createOperatorTokens, type OperatorTokens } from '../accounts/operator-tokens.ts';
import { type IngestDeps, ingest } from '../collection/ingest.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import type { MarketLearner } from '../sales/learn-market.ts';

type Deps = IngestDeps & { marketLearner: MarketLearner };

export function openIngest(app: FastifyInstance, deps: Deps): void {
  const tokens = createOperatorTokens(deps.db);
  // A separate scope: here bodies are streams, whatever their content type.
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
          throw new Problem(
            'content_encoding_unsupported',
            'Compressed bodies are not supported. Send the body without `content-encoding`.',
          );
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
    'Header `authorization` must be "Bearer TOKEN" with a token of scope ingest. Create one with "token create --scope ingest".',
  );
}

function refuseTooLarge(bytes: number, recordedLines: number | null): void {
  if (bytes <= bounds.ingestBytesMax) return;
  const ingested =
    recordedLines === null ? 'Nothing was ingested' : `${recordedLines} lines were ingested`;
  throw new Problem(
    'body_too_large',
    `The body is too large; at most ${bounds.ingestBytesMax} bytes are allowed. ${ingested}. Send the rest in further requests; repeated lines are harmless.`,
  );
}

/** Passes the body through and throws when it becomes too large. */
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
    throw new Problem('body_incomplete', 'The connection closed before the end of the body.', {
      cause,
    });
  }
}
