// Conditions of a customer's own, such as `price < 20 && stock > 0`: a subset of CEL without calls,
// member access and loops. Length, depth and nodes are bounded before anything is evaluated, so an
// evaluation takes microseconds whatever the condition is.
import { type ASTNode, Environment } from '@marcbachmann/cel-js';
import { boundedCache } from '../foundation/bounded-cache.ts';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import { CONDITION_NAMES, type Condition, type ConditionName } from './condition-name.ts';
import { isConstant } from './constant-condition.ts';

const env = new Environment({
  limits: {
    maxAstNodes: bounds.conditionNodesMax,
    maxDepth: bounds.conditionDepthMax,
    maxListElements: bounds.conditionNodesMax,
    maxMapEntries: bounds.conditionNodesMax,
    maxCallArguments: bounds.conditionNodesMax,
  },
});
for (const [name, { type }] of Object.entries(CONDITION_NAMES)) env.registerVariable(name, type);
// Whole and decimal numbers mix, as people write them; CEL itself keeps them apart.
const MIXED: Readonly<Record<string, (a: number, b: number) => number | boolean>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '==': (a, b) => a === b,
};
for (const [operator, act] of Object.entries(MIXED)) {
  const onNumbers = (a: unknown, b: unknown) => act(Number(a), Number(b));
  const result = operator === '==' ? 'bool' : 'double';
  env.registerOperator(`double ${operator} int: ${result}`, onNumbers);
  // Equality is symmetric, and registered for both orders at once.
  if (operator !== '==') env.registerOperator(`int ${operator} double: ${result}`, onNumbers);
}

const BINARY = ['!=', '==', '+', '-', '*', '/', '<', '<=', '>', '>=', '||', '&&'];
const ALLOWED: ReadonlySet<string> = new Set([...BINARY, '?:', '!_', '-_', 'id', 'value', 'in']);

/** Throws for a condition that is not allowed, with a code for each reason. */
export function readCondition(text: string): Condition {
  const condition = compile(text);
  const parsed = env.parse(text);
  if (isConstant(parsed.ast, condition)) {
    throw refusal(
      'condition_constant',
      'The condition has the same result for all values, so it would match always or never.',
    );
  }
  return condition;
}

const compiled = boundedCache<string, Condition>(bounds.conditionsCachedMax);

/** A condition that was read before; throws only if it never was valid. */
export function compile(text: string): Condition {
  const cached = compiled.get(text);
  if (cached !== undefined) return cached;
  if (text.length > bounds.conditionCharsMax) {
    throw refusal(
      'condition_too_complex',
      `The condition has ${text.length} characters; at most ${bounds.conditionCharsMax} are allowed.`,
    );
  }
  const parsed = parse(text);
  const names = new Set<ConditionName>();
  for (const node of nodesOf(parsed.ast)) {
    if (node.op === 'id') names.add(nameOf(node.args as string));
  }
  const { valid, type, error } = parsed.check();
  if (!valid || type !== 'bool') {
    const reason = valid ? `its result is ${type}, not true or false` : firstLine(error?.message);
    throw refusal('condition_type_invalid', `The condition has a wrong type: ${reason}.`);
  }
  const condition: Condition = {
    names,
    evaluate(values) {
      try {
        return parsed(values) === true;
      } catch {
        return null;
      }
    },
  };
  compiled.set(text, condition);
  return condition;
}

function parse(text: string): ReturnType<typeof env.parse> {
  try {
    return env.parse(text);
  } catch (error) {
    const reason = firstLine((error as Error).message);
    const limit = /Exceeded max(\w+) \((\d+)\)/.exec(reason);
    if (limit === null)
      throw refusal('condition_malformed', `The condition is malformed: ${reason}.`);
    const what = limit[1] === 'Depth' ? 'levels of nesting' : 'parts';
    throw refusal(
      'condition_too_complex',
      `The condition has more than ${limit[2]} ${what}; split it into several rules.`,
    );
  }
}

/** All nodes; throws for an operation that is not allowed. */
export function nodesOf(node: ASTNode): ASTNode[] {
  const { op, args } = node as { op: string; args: unknown };
  if (!ALLOWED.has(op) || (op === 'value' && !isPlain(args))) {
    throw refusal(
      'condition_malformed',
      `The condition uses ${JSON.stringify(op === 'value' ? String(args) : op)}, which is not supported. Allowed are names, numbers, texts, comparisons, + - * /, &&, ||, !, ?: and in with a list.`,
    );
  }
  if (op === 'id' || op === 'value') return [node];
  const parts = (Array.isArray(args) ? args : [args]) as ASTNode[];
  if (op === 'in') return [node, ...nodesOf(parts[0] as ASTNode), ...listItems(parts[1])];
  return [node, ...parts.flatMap(nodesOf)];
}

const isPlain = (value: unknown) =>
  ['string', 'number', 'bigint', 'boolean'].includes(typeof value);

function listItems(node: ASTNode | undefined): ASTNode[] {
  if (node?.op === 'list') return (node.args as unknown as ASTNode[]).flatMap(nodesOf);
  throw refusal('condition_malformed', 'The condition must have a list after `in`, as ["a", "b"].');
}

function nameOf(name: string): ConditionName {
  if (Object.hasOwn(CONDITION_NAMES, name)) return name as ConditionName;
  throw refusal(
    'condition_name_unknown',
    `The condition uses ${JSON.stringify(name.slice(0, 40))}; the names are ${Object.keys(CONDITION_NAMES).join(', ')}.`,
  );
}

const firstLine = (text = 'unknown') => (text.split('\n')[0] as string).slice(0, 200);

type ConditionCode =
  | 'condition_too_complex'
  | 'condition_malformed'
  | 'condition_name_unknown'
  | 'condition_type_invalid'
  | 'condition_constant';

const refusal = (code: ConditionCode, sentence: string) =>
  new Problem(code, sentence, { field: 'condition' });
