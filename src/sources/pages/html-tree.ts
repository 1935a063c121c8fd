// Parses a page into a small tree of elements: just what reading structured data needs, with limits
// that protect against hostile pages.
import { Parser } from 'htmlparser2';

export type Element = {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: (Element | string)[];
};

// Real pages nest 20 to 40 deep. A closing tag costs a walk over all open elements.
const DEPTH_MAX = 256;
const ELEMENTS_MAX = 300_000;

/** Returns the root, or null for a page nested deeper or larger than any real one. */
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

/** Stops the parser; never leaves this file. */
class TooLarge extends Error {}

/** All descendants of an element, in document order. */
export function* elementsUnder(root: Element): Generator<Element> {
  const stack: (Element | string)[] = root.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (typeof node === 'string') continue;
    yield node;
    for (let index = node.children.length - 1; index >= 0; index--) {
      stack.push(node.children[index] as Element | string);
    }
  }
}

/** The visible text of an element, or the text of a script; stops soon after `charsMax`. */
export function textOf(element: Element, charsMax = Number.POSITIVE_INFINITY): string {
  let text = '';
  const stack: (Element | string)[] = element.children.toReversed();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    if (text.length >= charsMax) break;
    if (typeof node === 'string') text += node;
    else if (node.name !== 'script' && node.name !== 'style') {
      for (let index = node.children.length - 1; index >= 0; index--) {
        stack.push(node.children[index] as Element | string);
      }
    }
  }
  return text;
}
