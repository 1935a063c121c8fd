// The identity of a library entry: an account, an operation and its parameters. The order of
// parameters does not matter, nor does the number by which a product was looked up.
import { idFrom } from '../foundation/id.ts';

export type Parameters = Readonly<Record<string, unknown>>;

/** They change how a response is written, not which data it holds. */
const NOT_PARAMETERS: ReadonlySet<string> = new Set(['dry_run', 'format']);

/** The parameters of a request: its query and the members of its body, by name. */
export function parametersOf(query: Parameters, body: unknown): Parameters {
  const members = typeof body === 'object' && body !== null ? (body as Parameters) : {};
  const all = Object.entries({ ...query, ...members });
  return Object.fromEntries(
    all
      .filter(([name, value]) => value !== undefined && !NOT_PARAMETERS.has(name))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );
}

/** A product that was looked up by its UPC or EAN is the same as by its code. */
export function byProductCode(parameters: Parameters, productCode: string | null): Parameters {
  const { upc, ean, ...rest } = parameters;
  if (productCode === null || (upc ?? ean) === undefined) return parameters;
  return parametersOf({ ...rest, retailer_product_code: productCode }, null);
}

export const entryIdOf = (key: {
  accountId: string;
  operation: string;
  parameters: Parameters;
}): string => idFrom('library', key.accountId, key.operation, canonical(key.parameters));

/** JSON with the members of every object in order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? parametersInOrder(one as Parameters)
      : one,
  );
}

const parametersInOrder = (members: Parameters) =>
  Object.fromEntries(Object.entries(members).sort(([one], [other]) => (one < other ? -1 : 1)));

/** The product that a request is about, also if it is the only one of a list; null for others. */
export function productOf(parameters: Parameters, productCode: string | undefined): string | null {
  if (productCode !== undefined) return productCode;
  const { items, retailer_product_code: named } = parameters;
  if (typeof named === 'string') return named;
  const item: unknown = Array.isArray(items) && items.length === 1 ? items[0] : null;
  const code = (item as Parameters | null)?.retailer_product_code;
  return typeof code === 'string' ? code : null;
}
