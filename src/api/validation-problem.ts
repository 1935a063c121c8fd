// Converts a schema violation to a `Problem` with a code, a field and a message.
import type { ErrorCode } from '../foundation/error-codes.ts';
import { Problem } from '../foundation/problem.ts';

export const PART_NAMES: Readonly<Record<string, string>> = {
  querystring: 'Query parameter',
  params: 'Path parameter',
  headers: 'Header',
  body: 'Body member',
  item: 'Member',
};

export type ValidationFault = {
  keyword: string;
  instancePath: string;
  message?: string;
  params: Record<string, unknown>;
  data?: unknown;
  parentSchema?: { description?: string };
};

/** Fields that have a code of their own; any other is `parameter_invalid`. */
const CODE_OF_FIELD: Readonly<Record<string, ErrorCode>> = {
  upc: 'upc_malformed',
  ean: 'ean_malformed',
  retailer_product_code: 'product_code_malformed',
};

/** The message names the field and what is allowed, which the schema's description says. */
export function validationProblem(faults: readonly ValidationFault[], part: string): Problem {
  const fault = faults[0];
  if (fault === undefined) return new Problem('invalid_request', 'The request is invalid.');
  const where = PART_NAMES[part] ?? 'Value';
  const path = fault.instancePath.slice(1).replaceAll('/', '.');
  if (fault.keyword === 'required') {
    const field = [path, String(fault.params.missingProperty)].filter(Boolean).join('.');
    return new Problem('parameter_required', `${where} ${field} is required.`, { field });
  }
  if (path === '') return wholeProblem(fault, part);
  const allowed = fault.parentSchema?.description ?? fault.message ?? 'valid';
  return new Problem(
    CODE_OF_FIELD[path] ?? 'parameter_invalid',
    `${where} ${path} must be ${allowed.replace(/^must (be )?/, '')}; got ${shown(fault.data)}.`,
    { field: path },
  );
}

function wholeProblem(fault: ValidationFault, part: string): Problem {
  if (part === 'body' && (fault.data === undefined || fault.data === null)) {
    return new Problem('body_required', 'A JSON body is required.');
  }
  const { additionalProperty } = fault.params;
  const whole = part === 'body' ? 'The body' : part === 'item' ? 'The item' : 'The request';
  const sentence = `${whole} ${fault.message ?? 'is not valid'}.`;
  if (typeof additionalProperty === 'string') {
    return new Problem('parameter_invalid', sentence, { field: additionalProperty.slice(0, 80) });
  }
  return new Problem(part === 'body' ? 'body_malformed' : 'invalid_request', sentence);
}

/** A short form of the value; never throws. */
function shown(value: unknown): string {
  try {
    return JSON.stringify(value)?.slice(0, 80) ?? 'nothing';
  } catch {
    return 'a value that cannot be shown';
  }
}
