// A page as a small tree of elements: just what reading structured data needs, with bounds that a hostile
// page cannot pass.
import { Parser } from 'htmlparser2';

export type Element = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: (Element | string)[];
};

// Real pages nest 20 to 40 deep; a closing tag costs a walk over all that are open.
const DEPTH_MAX = 256;
const ELEMENTS_MAX = 300_000;

/** The page's root, or null for a page nested deeper or larger than any real one. */
export function parseHtml(html: string): Element | null {
  const root: Element = { name: '', attributes: {}, children: [] };
  const open: Element[] = [root];
  let elements = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (open.length > DEPTH_MAX || ++elements > ELEMENTS_MAX) throw new TooLarge();
        const element: Element = { name, attributes, children: [] };
        open.at(-1)?.children.push(element);
        open.push(element);
      },
      ontext(text) {
        open.at(-1)?.children.push(text);
      },
      onclosetag() {
        if (open.length > 1) open.pop();
      },
    },
    { decodeEntities: true, lowerCaseTags: true, lowerCaseAttributeNames: true },
  );
  try {
    parser.write(html);
    parser.end();
  } catch (error) {
    if (error instanceof TooLarge) return null;
    throw error;
  }
  return root;
}

/** Carries the news out of the parser; never leaves this file. */
class TooLarge extends Error {}

/** All elements under one, in the page's order. */
export function* elementsUnder(root: Element): Generator<Element> {
  const stack: (Element | string)[] = root.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === 'string') continue;
    yield node;
    for (let at = node.children.length - 1; at >= 0; at--) {
      stack.push(node.children[at] as Element | string);
    }
  }
}

/** What a reader sees of an element, or all of a script; not much more than the most that is wanted. */
export function textOf(element: Element, charsMax = Number.POSITIVE_INFINITY): string {
  let text = '';
  const stack: (Element | string)[] = element.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (text.length >= charsMax) break;
    if (typeof node === 'string') text += node;
    else if (node.name !== 'script' && node.name !== 'style') {
      for (let at = node.children.length - 1; at >= 0; at--) {
        stack.push(node.children[at] as Element | string);
      }
    }
  }
  return text;
}
