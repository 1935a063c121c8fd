// Examples of requests and responses for the description of the API. `npm run examples` records
// them from a running service.
import { readFileSync } from 'node:fs';

export type Example = { request?: unknown; response?: unknown };

type Examples = {
  /** By operationId. */
  operations: Readonly<Record<string, Example>>;
  /** By event type: the body of a delivery. */
  events: Readonly<Record<string, unknown>>;
};

const file = new URL('examples.json', import.meta.url);
const examples = JSON.parse(readFileSync(file, 'utf8')) as Examples;

export const exampleOf = (operationId: string): Example | undefined =>
  examples.operations[operationId];

export const eventExampleOf = (type: string): unknown => examples.events[type];
