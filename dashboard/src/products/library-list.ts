// The library as a list: each product once with everything that was bought of it, and searches.
// Pure.

type Entry = {
  id: string;
  operation: string;
  retailer_product_code: string | null;
  product_name: string | null;
  parameters: Readonly<Record<string, unknown>>;
  bought_at: string;
  buybox_price: number | null;
};

export type LibraryRow =
  | {
      kind: 'product';
      key: string;
      code: string;
      name: string | null;
      /** Operations, the newest purchase first. */
      operations: readonly string[];
      /** The newest price in a response, with the time of that response. */
      price: { usd: number; at: string } | null;
      at: string;
    }
  | { kind: 'search'; key: string; text: string; at: string };

/** Entries come newest first; so do the rows. */
export function libraryRows(entries: readonly Entry[]): LibraryRow[] {
  const groups = Map.groupBy(entries, keyOf);
  return [...groups].flatMap(([key, group]): LibraryRow[] => {
    const [newest] = group;
    if (newest === undefined) return [];
    const { retailer_product_code: code, bought_at: at } = newest;
    if (code === null) {
      const text = newest.parameters.q;
      return typeof text === 'string' ? [{ kind: 'search', key, text, at }] : [];
    }
    const priced = group.find(({ buybox_price: price }) => price !== null);
    return [
      {
        kind: 'product',
        key,
        code,
        name: newest.product_name,
        operations: [...new Set(group.map(({ operation }) => operation))],
        price: priced ? { usd: Number(priced.buybox_price), at: priced.bought_at } : null,
        at,
      },
    ];
  });
}

/** The pages of a search are one row. */
const keyOf = ({ retailer_product_code: code, operation, parameters }: Entry): string =>
  code ?? `${operation} ${String(parameters.q ?? '')}`;
