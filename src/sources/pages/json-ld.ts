// Reads JSON-LD blocks as items. Every context is assumed to be schema.org; @id references are
// resolved.
import { type Item, localName, type Value } from './item.ts';

const DEPTH_MAX = 24;
const NODES_MAX = 50_000;

/** Items under these properties are not what the page is about. */
const RELATED: ReadonlySet<string> = new Set([
  'isPartOf',
  'about',
  'mentions',
  'isRelatedTo',
  'isSimilarTo',
  'isAccessoryOrSparePartFor',
  'isConsumableFor',
]);

type Node = { types: string[]; id: string | undefined; properties: Map<string, Value[]> };

/** The top-level items, in the page's order. */
export function itemsOfJsonLd(blocks: readonly unknown[]): Item[] {
  const nodes: Node[] = [];
  const roots = blocks.flatMap((block) => rootsOf(block, nodes, 0));
  const byId = new Map<string, Node>();
  for (const node of nodes) {
    if (node.id !== undefined && node.properties.size > 0 && !byId.has(node.id)) {
      byId.set(node.id, node);
    }
  }
  const related = new Set<Item>();
  for (const node of nodes) {
    for (const [name, values] of node.properties) {
      values.forEach((value, index) => {
        if (typeof value !== 'object') return;
        const target = (value.properties.size === 0 && byId.get(value.id ?? '')) || value;
        values[index] = target;
        if (RELATED.has(name)) related.add(target);
      });
    }
  }
  return roots.filter((root) => !related.has(root));
}

function rootsOf(value: unknown, nodes: Node[], depth: number): Node[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one) => rootsOf(one, nodes, depth + 1));
  if (typeof value !== 'object' || value === null) return [];
  const graph = rootsOf((value as Record<string, unknown>)['@graph'], nodes, depth + 1);
  const node = nodeOf(value as Record<string, unknown>, nodes, depth);
  return node === undefined || node.types.length === 0 ? graph : [node, ...graph];
}

function nodeOf(members: Record<string, unknown>, nodes: Node[], depth: number): Node | undefined {
  if (depth > DEPTH_MAX || nodes.length >= NODES_MAX) return undefined;
  const types = [members['@type'] ?? members.type]
    .flat(1)
    .filter((type) => typeof type === 'string');
  const id = typeof members['@id'] === 'string' ? members['@id'] : undefined;
  const node: Node = {
    types: types.map((type) => localName(type).toLowerCase()),
    id,
    properties: new Map(),
  };
  nodes.push(node);
  for (const [key, value] of Object.entries(members)) {
    if (key.startsWith('@')) continue;
    const values = valuesIn(value, nodes, depth + 1);
    const name = localName(key);
    if (values.length > 0)
      node.properties.set(name, [...(node.properties.get(name) ?? []), ...values]);
  }
  return node;
}

function valuesIn(value: unknown, nodes: Node[], depth: number): Value[] {
  if (depth > DEPTH_MAX) return [];
  if (Array.isArray(value)) return value.flatMap((one) => valuesIn(one, nodes, depth + 1));
  if (typeof value === 'string' || typeof value === 'number') return [value];
  if (typeof value !== 'object' || value === null) return [];
  const members = value as Record<string, unknown>;
  const wrapped = members['@value'] ?? members['@list'] ?? members['@set'];
  if (wrapped !== undefined) return valuesIn(wrapped, nodes, depth + 1);
  const node = nodeOf(members, nodes, depth);
  return node === undefined ? [] : [node];
}
