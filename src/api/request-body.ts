// Parses request bodies: JSON only, limited in size, depth and time. An empty body counts as none.
import type { FastifyInstance, preParsingHookHandler } from 'fastify';
import { bounds } from '../foundation/bounds.ts';
import { isDeeperThan } from '../foundation/json-depth.ts';
import { Problem } from '../foundation/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route streams its body, so the body timeout does not apply. */
    streamsBody?: boolean;
  }
}

export function readJsonBodies(
  app: FastifyInstance,
  limits: { bodyTimeoutMs: number } = bounds,
): void {
  app.removeAllContentTypeParsers();
  const parseJson = app.getDefaultJsonParser('error', 'error');

  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text.length === 0) return done(null, undefined);
    if (request.headers['content-encoding'] !== undefined) {
      return done(
        new Problem(
          'content_encoding_unsupported',
          'Compressed bodies are not supported. Send the body without `content-encoding`.',
        ),
      );
    }
    if (isDeeperThan(text as string, bounds.bodyLevelsMax)) {
      const allowed = `at most ${bounds.bodyLevelsMax} levels of lists and objects are allowed`;
      return done(new Problem('body_malformed', `The body is nested too deeply: ${allowed}.`));
    }
    parseJson(request, text as string, (error, body) => {
      if (error === null) return done(null, body);
      done(new Problem('body_malformed', `The body is not valid JSON: ${error.message}.`));
    });
  });

  // Any other content type: an empty body is accepted, anything else is refused.
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (request, bytes, done) => {
    if (bytes.length === 0) return done(null, undefined);
    const type = request.headers['content-type'];
    done(
      new Problem(
        'media_type_unsupported',
        `Header \`content-type\` must be application/json${type === undefined ? '' : `; got ${type.slice(0, 100)}`}.`,
      ),
    );
  });

  // Node's request timeout must leave room for streams; a small JSON body gets a shorter one. Not
  // on GET routes, which have no body: on the paid ones the hook cost 2 %.
  app.addHook('onRoute', (route) => {
    if (route.method === 'GET' || route.config?.streamsBody === true) return;
    const limitTime: preParsingHookHandler = (_request, _reply, payload, done) => {
      const timer = setTimeout(() => {
        payload.emit(
          'error',
          new Problem(
            'request_timeout',
            'The body did not arrive in time. Send the request again.',
          ),
        );
      }, limits.bodyTimeoutMs);
      const stop = () => clearTimeout(timer);
      payload.once('end', stop).once('close', stop).once('error', stop);
      done(null, payload);
    };
    route.preParsing = [limitTime, ...[route.preParsing ?? []].flat()];
  });
}
