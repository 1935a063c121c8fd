// Pages of a list: limit and cursor in the query, the next page in the Link header.
import { Type } from 'typebox';
import { cursorOf, type Position } from '../foundation/cursor.ts';
import { isId } from '../foundation/id.ts';
import { Problem } from '../foundation/problem.ts';
import { isInstant } from './wire.ts';

export const PAGE_LIMIT_DEFAULT = 100;
export const PAGE_LIMIT_MAX = 1000;

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: PAGE_LIMIT_MAX,
      default: PAGE_LIMIT_DEFAULT,
      description: `a whole number from 1 to ${PAGE_LIMIT_MAX}`,
    }),
  ),
  after: Type.Optional(
    Type.String({ maxLength: 200, description: 'the cursor of the Link header with rel="next"' }),
  ),
};

/** The position in a cursor made by `cursorOf`; anything else is a bad request. */
export function readCursor(cursor: string, parameter = 'after'): Position {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    const [atMs, id] = Array.isArray(parts) ? parts : [];
    if (isInstant(atMs) && typeof id === 'string' && isId(id)) return { atMs, id };
  } catch {
    // Not a cursor of ours; refused below.
  }
  throw new Problem(
    'cursor_malformed',
    `Query parameter ${parameter} must be a cursor from the Link header of the previous page.`,
    { field: parameter },
  );
}

/** Drops the extra row, whose presence means that there is a next page. */
export function firstPage<Row>(
  rows: readonly Row[],
  limit: number,
): { page: Row[]; hasMore: boolean } {
  return { page: rows.slice(0, limit), hasMore: rows.length > limit };
}

type PageLink = {
  path: string;
  limit: number;
  filters?: Readonly<Record<string, string | undefined>>;
};

/** The Link header of the next page; none on the last page. Omits filters without a value. */
export function nextPage<Row>(
  { page, hasMore }: { page: readonly Row[]; hasMore: boolean },
  link: PageLink & { positionOf(row: Row): Position },
): { headers?: { link: string } } {
  const last = page.at(-1);
  return nextLink(hasMore && last !== undefined ? link.positionOf(last) : null, link);
}

/** For a list that knows where its next page begins; null on the last page. */
export function nextLink(next: Position | null, link: PageLink): { headers?: { link: string } } {
  if (next === null) return {};
  const search = new URLSearchParams({ limit: String(link.limit) });
  for (const [name, value] of Object.entries(link.filters ?? {})) {
    if (value !== undefined) search.set(name, value);
  }
  search.set('after', cursorOf(next));
  return { headers: { link: `<${link.path}?${search}>; rel="next"` } };
}
