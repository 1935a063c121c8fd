// The shape of the code, as CONTRIBUTING states it: short functions, short lines, no literal that
// is spread into another one.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript5';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const FUNCTION_LINES_MAX = 70;
const LINE_COLUMNS_MAX = 100;
const FOLDERS = ['src', 'dashboard/src', 'bench', 'scripts', 'test'];
const GENERATED = /api-types\.ts$/;

const files = FOLDERS.flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && !GENERATED.test(name))
    .map((name) => join(folder, name))
    .sort(),
).map((path) => {
  const text = readFileSync(join(ROOT, path), 'utf8');
  return { path, tree: ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true) };
});

const lineOf = (tree: ts.SourceFile, position: number) =>
  tree.getLineAndCharacterOfPosition(position).line + 1;

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

function functionsIn(node: ts.Node): ts.Node[] {
  const inside: ts.Node[] = [];
  const search = (child: ts.Node) => {
    if (ts.isFunctionLike(child)) inside.push(child);
    else ts.forEachChild(child, search);
  };
  ts.forEachChild(node, search);
  return inside;
}

/**
 * Lines of a function without those of the functions inside it, which are counted by themselves.
 */
function linesOf(tree: ts.SourceFile, node: ts.Node): number {
  const span = (one: ts.Node) => lineOf(tree, one.end) - lineOf(tree, one.getStart(tree)) + 1;
  const inside = functionsIn(node).reduce((sum, child) => sum + span(child) - 1, 0);
  return span(node) - inside;
}

describe('the code', () => {
  test(`has functions of at most ${FUNCTION_LINES_MAX} lines`, () => {
    const wrong = files.flatMap(({ path, tree }) => {
      const long: string[] = [];
      if (/(?:^|\/)test\/|\.test\.tsx?$/.test(path)) return long;
      walk(tree, (node) => {
        if (!ts.isFunctionLike(node) || linesOf(tree, node) <= FUNCTION_LINES_MAX) return;
        long.push(`${path}:${lineOf(tree, node.getStart(tree))} ${linesOf(tree, node)}`);
      });
      return long;
    });
    expect(wrong).toEqual([]);
  });

  test('spreads no literal: the members are written out', () => {
    const wrong = files.flatMap(({ path, tree }) => {
      const spread: string[] = [];
      walk(tree, (node) => {
        const isLiteral =
          (ts.isSpreadAssignment(node) && ts.isObjectLiteralExpression(node.expression)) ||
          (ts.isSpreadElement(node) && ts.isArrayLiteralExpression(node.expression));
        if (isLiteral) spread.push(`${path}:${lineOf(tree, node.getStart(tree))}`);
      });
      return spread;
    });
    expect(wrong).toEqual([]);
  });

  test(`has lines of at most ${LINE_COLUMNS_MAX} columns, unless a text or a pattern is longer`, () => {
    const wrong = files.flatMap(({ path, tree }) => {
      const withText = new Set<number>();
      walk(tree, (node) => {
        const isText =
          ts.isStringLiteralLike(node) ||
          ts.isTemplateExpression(node) ||
          ts.isRegularExpressionLiteral(node) ||
          ts.isJsxText(node);
        if (!isText) return;
        for (let line = lineOf(tree, node.getStart(tree)); line <= lineOf(tree, node.end); line++) {
          withText.add(line);
        }
      });
      return tree.text
        .split('\n')
        .flatMap((line, index) =>
          line.length > LINE_COLUMNS_MAX && !withText.has(index + 1) && !/https?:/.test(line)
            ? [`${path}:${index + 1}`]
            : [],
        );
    });
    expect(wrong).toEqual([]);
  });
});
