// Builds the OpenAPI description of an endpoint: request schemas, and responses with examples.
import { type TObject, type TSchema, Type } from 'typebox';
import { exampleOf } from './examples.ts';
import { FormatQuery, type ListShape, lineExamples, MEDIA_TYPES } from './table-response.ts';
import { ErrorRecord } from './wire.ts';

const DryRun = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({
      description: 'true or false; true returns only {"credit_cost"} and costs nothing',
    }),
  ),
});
const CreditCost = Type.Object(
  { credit_cost: Type.Integer({ minimum: 0 }) },
  { title: 'CreditCost' },
);
const MaxCredits = Type.Object({
  'x-max-credits': Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 1_000_000_000,
      description:
        'a whole number of credits; a request that costs more is refused with 402 and not charged',
    }),
  ),
});
const CREDIT_HEADERS = {
  'x-credits-charged': Type.Integer({ description: 'Credits charged for this request.' }),
  'x-credits-remaining': Type.Integer({ description: 'Credits remaining after this request.' }),
};
const ERROR_MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is invalid; the message says what is allowed.',
  401: 'The API key is missing, invalid or revoked.',
  402: 'Too few credits, or the cost exceeds `x-max-credits`. Nothing was charged.',
  404: 'Not found. Nothing was charged.',
  403: 'The request does not come from the dashboard.',
  409: 'Conflict with the current state.',
  429: 'Rate limit exceeded. Nothing was charged. Retry after `retry_after_ms`.',
  500: 'Internal error. Nothing was charged.',
  503: 'Temporarily unavailable. Nothing was charged. Try again in a few seconds.',
};

/** Component name of each shared error response. */
export const ERROR_RESPONSE_NAMES: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  402: 'PaymentRequired',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

type ResponseOptions = {
  description: string;
  headers?: Readonly<Record<string, TSchema>>;
  example?: unknown;
  mediaType?: string | undefined;
  /** The list that is also available as CSV and NDJSON. */
  list?: ListShape | undefined;
};

const typeOf = (contentType: string) => contentType.split(';', 1)[0] as string;

/** One line per record of the list. */
function lineMedia(list: ListShape, example: unknown): Record<string, unknown> {
  const { csv, ndjson } = lineExamples(list, example);
  return {
    [typeOf(MEDIA_TYPES.csv)]: { schema: Type.String(), example: csv },
    [typeOf(MEDIA_TYPES.ndjson)]: { schema: Type.String(), example: ndjson },
  };
}

export function jsonResponse(schema: TSchema, options: ResponseOptions): Record<string, unknown> {
  const { example, mediaType = 'application/json', list, ...plain } = options;
  if ((schema as { type?: string }).type === 'null') return { ...plain, type: 'null' };
  const media = { schema, ...(example === undefined ? {} : { example }) };
  const lines = list === undefined ? {} : lineMedia(list, example);
  return { ...plain, content: { [mediaType]: media, ...lines } };
}

export const errorResponses = (statuses: readonly number[]): Record<number, unknown> =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      jsonResponse(ErrorRecord, { description: ERROR_MEANINGS[status] as string }),
    ]),
  );

/** The parts of an endpoint that are described. */
type Described = {
  operationId: string;
  tag: string;
  summary: string;
  description?: string;
  query?: TObject;
  params?: TObject;
  body?: TSchema;
  responses: Readonly<Record<number, TSchema>>;
  mediaType?: string;
  list?: ListShape;
  errors?: readonly number[];
  books?: boolean;
};

/** The endpoint's own parameters, and those that every paid route and every list has. */
function queryOf({ query, list }: Described, isPaid: boolean): TObject | undefined {
  if (!isPaid && list === undefined) return query;
  return Type.Object({
    ...query?.properties,
    ...(list === undefined ? {} : FormatQuery),
    ...(isPaid ? DryRun.properties : {}),
  });
}

export function endpointSchema(
  endpoint: Described,
  { isPaid, security }: { isPaid: boolean; security: readonly Record<string, never[]>[] },
): Record<string, unknown> {
  const query = queryOf(endpoint, isPaid);
  const errors = [400, 401, 429, 500, 503, ...(isPaid ? [402] : []), ...(endpoint.errors ?? [])];
  const { mediaType } = endpoint;
  const example = exampleOf(endpoint.operationId);
  const response: Record<number, unknown> = {};
  for (const [status, schema] of Object.entries(endpoint.responses)) {
    const described = jsonResponse(
      isPaid && status === '200' && mediaType === undefined
        ? Type.Union([schema, CreditCost])
        : schema,
      {
        description: endpoint.summary,
        headers: CREDIT_HEADERS,
        mediaType,
        example: example?.response,
        list: endpoint.list,
      },
    );
    // A dry run is JSON, also of an endpoint whose response is a picture.
    if (isPaid && status === '200' && mediaType !== undefined) {
      Object.assign(described.content as object, {
        'application/json': { schema: CreditCost, example: { credit_cost: 15 } },
      });
    }
    response[Number(status)] = described;
  }
  Object.assign(response, errorResponses(errors.sort()));
  return {
    operationId: endpoint.operationId,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: endpoint.description ?? `${endpoint.summary}. Costs no credits.`,
    security,
    ...(query === undefined ? {} : { querystring: query }),
    ...(isPaid || endpoint.books ? { headers: MaxCredits } : {}),
    ...(endpoint.params === undefined ? {} : { params: endpoint.params }),
    ...(endpoint.body === undefined ? {} : { body: endpoint.body }),
    response,
  };
}
