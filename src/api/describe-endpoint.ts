// How an endpoint describes itself: the schemas of its request, and its responses with examples.
import { type TObject, type TSchema, Type } from 'typebox';
import { exampleOf } from './examples.ts';
import { ErrorRecord } from './wire.ts';

const DryRun = Type.Object({
  dry_run: Type.Optional(
    Type.Boolean({ description: 'true or false: answers only {"credit_cost"}, for 0 credits' }),
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
      description: 'a whole number of credits; a dearer request is refused with 402 at no cost',
    }),
  ),
});
const CREDIT_HEADERS = {
  'x-credits-charged': Type.Integer({ description: 'What this request cost.' }),
  'x-credits-remaining': Type.Integer({ description: 'What is left afterwards.' }),
};
const ERROR_MEANINGS: Readonly<Record<number, string>> = {
  400: 'The request is not valid; the message says what is allowed.',
  401: 'The API key is missing, not valid, or revoked.',
  402: 'The credits do not suffice, or x-max-credits is less than the cost. Nothing was charged.',
  404: 'Not found. Nothing was charged.',
  403: 'The request does not come from the dashboard.',
  409: 'Conflict with the current state.',
  429: 'Too many requests in a second. Nothing was charged; retry_after_ms says when to come back.',
  500: 'Something went wrong on our side. Nothing was charged.',
  503: 'Not possible at the moment. Nothing was charged; try again shortly.',
};

/** The name of each error response among the components of the description. */
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
};

export function jsonResponse(schema: TSchema, options: ResponseOptions): Record<string, unknown> {
  const { example, mediaType = 'application/json', ...plain } = options;
  if ((schema as { type?: string }).type === 'null') return { ...plain, type: 'null' };
  const media = { schema, ...(example === undefined ? {} : { example }) };
  return { ...plain, content: { [mediaType]: media } };
}

export const errorResponses = (statuses: readonly number[]): Record<number, unknown> =>
  Object.fromEntries(
    statuses.map((status) => [
      status,
      jsonResponse(ErrorRecord, { description: ERROR_MEANINGS[status] as string }),
    ]),
  );

/** What an endpoint says about itself. */
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
  errors?: readonly number[];
  books?: boolean;
};

export function endpointSchema(
  own: Described,
  { isPaid, security }: { isPaid: boolean; security: readonly Record<string, never[]>[] },
): Record<string, unknown> {
  const query = isPaid
    ? Type.Object({ ...own.query?.properties, ...DryRun.properties })
    : own.query;
  const errors = [400, 401, 429, 500, 503, ...(isPaid ? [402] : []), ...(own.errors ?? [])];
  const { mediaType } = own;
  const example = exampleOf(own.operationId);
  const response: Record<number, unknown> = {};
  for (const [status, schema] of Object.entries(own.responses)) {
    response[Number(status)] = jsonResponse(
      isPaid && status === '200' ? Type.Union([schema, CreditCost]) : schema,
      {
        ...{ description: own.summary, headers: CREDIT_HEADERS, mediaType },
        example: example?.response,
      },
    );
  }
  Object.assign(response, errorResponses(errors.sort()));
  return {
    operationId: own.operationId,
    tags: [own.tag],
    summary: own.summary,
    description: own.description ?? `${own.summary}. Costs no credits.`,
    security,
    ...(query === undefined ? {} : { querystring: query }),
    ...(isPaid || own.books ? { headers: MaxCredits } : {}),
    ...(own.params === undefined ? {} : { params: own.params }),
    ...(own.body === undefined ? {} : { body: own.body }),
    response,
  };
}
