// Lists of items in a body, each validated alone: an invalid item gets its own error and does not
// fail the others.
import { type Static, type TObject, Type } from 'typebox';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import { asProblem, errorBody } from './error-reply.ts';
import { CHECKED_ALONE, invalidItem } from './request-values.ts';
import { describedAs, ErrorRecord } from './wire.ts';

/** A body whose `items` are validated one by one, by `readItem`. */
export function bulkBody<Item extends TObject>(item: Item, title: string) {
  const limits = { minItems: 1, maxItems: bounds.bulkItemsMax };
  const description = `a list of 1 to ${bounds.bulkItemsMax} items`;
  return Type.Object(
    {
      items: Type.Array(Type.Unknown(), {
        ...limits,
        description,
        [CHECKED_ALONE]: true,
        ...describedAs(Type.Array(item, { ...limits, description })),
      }),
    },
    { title },
  );
}

/** Throws for an item that its schema does not allow. */
export function readItem<Item extends TObject>(schema: Item, value: unknown): Static<Item> {
  const problem = invalidItem(schema, value);
  if (problem !== null) throw problem;
  return value as Static<Item>;
}

const { request_id: _, ...members } = ErrorRecord.properties;

export const ItemError = Type.Object(members, {
  title: 'ItemError',
  additionalProperties: true,
  description: 'Why this item was refused; the other items are not affected.',
});

/** The result of a refused item. */
export function itemError(error: unknown): { status: number; error: Record<string, unknown> } {
  const { request_id: _request, ...body } = errorBody(asProblem(error), '');
  return { status: body.error, error: body };
}

/** What `act` returns or throws, as a value. */
export function attempt<T>(act: () => T): T | Problem {
  try {
    return act();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
}

/** Refuses items whose key occurred before: the order in which they apply would be unclear. */
export function refuseRepeated<Item>(
  items: readonly (Item | Problem)[],
  keyOf: (item: Item) => string,
): (Item | Problem)[] {
  const seen = new Set<string>();
  return items.map((item) => {
    if (item instanceof Problem) return item;
    const key = keyOf(item);
    if (seen.has(key)) {
      return new Problem('item_repeated', 'An earlier item of this call names the same product.');
    }
    seen.add(key);
    return item;
  });
}
