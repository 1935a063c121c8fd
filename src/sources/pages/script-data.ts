// Finds the JSON that a page's scripts hold: a block with an id, as in
// <script id="__NEXT_DATA__" type="application/json">, or a variable that a script assigns, as in
// window.__INITIAL_STATE__ = {…}.
import { isDeeperThan } from '../../foundation/json-depth.ts';
import { type Element, textOf } from './html-tree.ts';
import type { PageMap } from './page-map.ts';

const LEVELS_MAX = 200;

/** The value, or why there is none. */
export type ScriptData = { value: unknown } | { missing: string };

export function readScriptData(scripts: readonly Element[], place: PageMap['data']): ScriptData {
  if ('script_id' in place) {
    const script = scripts.find(({ attributes }) => attributes.id === place.script_id);
    if (script === undefined) return { missing: `no script has the id ${place.script_id}` };
    return parsed(textOf(script), `the script ${place.script_id}`);
  }
  const { variable } = place;
  const escaped = variable.replaceAll(/[.$]/g, '\\$&');
  const assignment = new RegExp(`(?:^|[^\\w$.])${escaped}\\s*=\\s*(?=[[{"'J])`);
  for (const script of scripts) {
    const text = textOf(script);
    const match = assignment.exec(text);
    if (match === null) continue;
    return parsed(expressionAt(text, match.index + match[0].length), variable);
  }
  return { missing: `no script assigns ${variable}` };
}

function parsed(text: string, where: string): ScriptData {
  if (isDeeperThan(text, LEVELS_MAX)) return { missing: `${where} is nested too deeply` };
  try {
    const value: unknown = JSON.parse(text);
    // JSON.parse("…") in the page: the text is JSON inside of JSON.
    return typeof value === 'string' ? parsed(value, where) : { value };
  } catch {
    return { missing: `${where} does not hold JSON` };
  }
}

/** The text of the value that begins here: up to the bracket or quote that closes it. */
function expressionAt(text: string, start: number): string {
  const call = /^JSON\.parse\(\s*/.exec(text.slice(start, start + 40));
  const from = start + (call?.[0].length ?? 0);
  if (text[from] === '"') return text.slice(from, endOfString(text, from) + 1);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') depth++;
    else if ((char === '}' || char === ']') && --depth === 0) return text.slice(from, at + 1);
  }
  return text.slice(from);
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at;
  }
  return text.length;
}
