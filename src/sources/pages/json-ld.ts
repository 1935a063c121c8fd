// JSON-LD blocks as items: contexts are taken for schema.org, references by @id are followed.
import { type Item, localName, type Value } from './item.ts';

const DEPTH_MAX = 24;
const NODES_MAX = 50_000;

/** What is named under these belongs to something else than the page is about. */
const ASIDE: ReadonlySet<string> = new Set([
  'isPartOf',
  'about',
  'mentions',
  'isRelatedTo',
  'isSimilarTo',
  'isAccessoryOrSparePartFor',
  'isConsumableFor',
]);

type Node = { types: string[]; id: string | undefined; properties: Map<string, Value[]> };

/** The items that stand by themselves, in the page's order. */
export function itemsOfJsonLd(blocks: readonly unknown[]): Item[] {
  const made: Node[] = [];
  const roots = blocks.flatMap((block) => rootsOf(block, made, 0));
  const byId = new Map<string, Node>();
  for (const node of made) {
    if (node.id !== undefined && node.properties.size > 0 && !byId.has(node.id)) {
      byId.set(node.id, node);
    }
  }
  const aside = new Set<Item>();
  for (const node of made) {
    for (const [name, values] of node.properties) {
      values.forEach((value, at) => {
        if (typeof value !== 'object') return;
        const meant = (value.properties.size === 0 && byId.get(value.id ?? '')) || value;
        values[at] = meant;
        if (ASIDE.has(name)) aside.add(meant);
      });
    }
  }
  return roots.filter((root) => !aside.has(root));
}

function rootsOf(value: unknown, made: Node[], depth: number): Node[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one) => rootsOf(one, made, depth + 1));
  if (typeof value !== 'object' || value === null) return [];
  const graph = rootsOf((value as Record<string, unknown>)['@graph'], made, depth + 1);
  const node = nodeOf(value as Record<string, unknown>, made, depth);
  return node === undefined || node.types.length === 0 ? graph : [node, ...graph];
}

function nodeOf(given: Record<string, unknown>, made: Node[], depth: number): Node | undefined {
  if (depth > DEPTH_MAX || made.length >= NODES_MAX) return undefined;
  const types = [given['@type'] ?? given.type].flat(1).filter((type) => typeof type === 'string');
  const id = typeof given['@id'] === 'string' ? given['@id'] : undefined;
  const node: Node = {
    types: types.map((type) => localName(type).toLowerCase()),
    id,
    properties: new Map(),
  };
  made.push(node);
  for (const [key, value] of Object.entries(given)) {
    if (key.startsWith('@')) continue;
    const values = valuesIn(value, made, depth + 1);
    const name = localName(key);
    if (values.length > 0)
      node.properties.set(name, [...(node.properties.get(name) ?? []), ...values]);
  }
  return node;
}

function valuesIn(value: unknown, made: Node[], depth: number): Value[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, made, depth + 1));
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Record<string, unknown>;
  const wrapped = members['@value'] ?? members['@list'] ?? members['@set'];
  if (wrapped !== undefined) return valuesIn(wrapped, made, depth + 1);
  const node = nodeOf(members, made, depth);
  return node === undefined ? [] : [node];
}
