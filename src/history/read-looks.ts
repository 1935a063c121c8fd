// Reading looks back whole, for short spans and tests; who may meet a long history walks over it (walk-looks).
import type { Look } from './look.ts';
import { ALL_TIME, type Span, type WalkDeps, walkLooks } from './walk-looks.ts';

/** The looks of a product inside a span, ascending. */
export async function readLooks(
  deps: WalkDeps,
  code: string,
  span: Span = ALL_TIME,
): Promise<Look[]> {
  const looks: Look[] = [];
  for await (const look of walkLooks(deps, code, span)) looks.push(look);
  return looks;
}
