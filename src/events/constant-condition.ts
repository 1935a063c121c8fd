// Whether a condition has the same result for all values: tried at and around every number and text
// that it contains, where its result can change.
import type { ASTNode } from '@marcbachmann/cel-js';
import type { Condition, ConditionName, ConditionValues } from './condition-name.ts';

/** Combinations that are tried; with more, some are skipped evenly. */
const TRIES_MAX = 4_000;
const STEP = 0.005;
const ALWAYS = [0, 1, 50, 1_000_000];
const TEXTS: ReadonlySet<string> = new Set<ConditionName>(['buybox_seller', 'my_seller']);
const MAY_BE_NEGATIVE = /^price_change/;

export function isConstant(ast: ASTNode, { names, evaluate }: Condition): boolean {
  if (names.size === 0) return true;
  const literals = literalsOf(ast);
  const numbers = literals.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  const texts = ['', 'x', ...literals.filter((value) => typeof value === 'string')];
  const points = [...names].map((name): [ConditionName, readonly (number | string)[]] => [
    name,
    TEXTS.has(name) ? texts : numbersAround(numbers, MAY_BE_NEGATIVE.test(name)),
  ]);
  const count = points.reduce((product, [, values]) => product * values.length, 1);
  // A prime step meets all combinations of all names, whatever their numbers of values.
  const step = count <= TRIES_MAX ? 1 : Math.ceil(count / TRIES_MAX) | 1;
  let first: boolean | null = null;
  for (let index = 0; index < count; index += step) {
    const result = evaluate(combination(points, index));
    if (result === null) continue;
    first ??= result;
    if (result !== first) return false;
  }
  return true;
}

function numbersAround(numbers: readonly number[], mayBeNegative: boolean): number[] {
  const around = numbers.flatMap((value, index) => {
    const middle = ((numbers[index + 1] ?? value) + value) / 2;
    return [value - 1, value - STEP, value, value + STEP, value + 1, middle, -value];
  });
  const all = [...new Set([...ALWAYS, ...around, ...(mayBeNegative ? [-1, -50] : [])])];
  return mayBeNegative ? all : all.filter((value) => value >= 0);
}

function combination(
  points: readonly [ConditionName, readonly (number | string)[]][],
  index: number,
): ConditionValues {
  let rest = index;
  const values: ConditionValues = {};
  for (const [name, choices] of points) {
    values[name] = choices[rest % choices.length] as number | string;
    rest = Math.floor(rest / choices.length);
  }
  return values;
}

function literalsOf(node: ASTNode): (number | string)[] {
  const { op, args } = node as { op: string; args: unknown };
  if (op === 'value') {
    if (typeof args === 'bigint') return [Number(args)];
    return typeof args === 'number' || typeof args === 'string' ? [args] : [];
  }
  const parts = (Array.isArray(args) ? args.flat() : [args]) as unknown[];
  return parts.flatMap((part) =>
    typeof part === 'object' && part !== null ? literalsOf(part as ASTNode) : [],
  );
}
