// Parses the JSON of JSON-LD blocks as real pages write it. Only errors whose repair cannot change
// the meaning are repaired: wrappers, comments, trailing commas, raw control characters.

/** Blocks have a few to a hundred KB; the repair goes character by character. */
const REPAIR_CHARS_MAX = 1_000_000;

/** Returns the value, or undefined if the text is not JSON and cannot be repaired safely. */
export function parseLooseJson(text: string): unknown {
  const plain = parsed(text);
  if (plain !== undefined || text.length > REPAIR_CHARS_MAX) return plain;
  const bare = withoutWrappers(text);
  return parsed(bare) ?? parsed(repaired(bare)) ?? parsed(repaired(withoutEntities(bare)));
}

function parsed(text: string | null): unknown {
  if (text === null) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function withoutWrappers(text: string): string {
  let rest = text.replace(/^\uFEFF/, '').trim();
  // Wrappers nest: an HTML comment around a CDATA section, each perhaps after a script comment.
  for (let round = 0; round < 4; round++) {
    rest = rest
      .replace(/^(?:\/\/ ?|\/\* ?)?(?:<!--|<!\[CDATA\[)(?: ?\*\/)?/, '')
      .replace(/(?:\/\/ ?|\/\* ?)?(?:-->|\]\]>)(?: ?\*\/)?$/, '')
      .replace(/;$/, '')
      .trim();
  }
  return rest;
}

/** Unescapes blocks that are escaped as if they were HTML text; returns '' for all others. */
function withoutEntities(text: string): string {
  if (!/^[[{]\s*&(?:quot|#34|#x22);/i.test(text)) return '';
  return text
    .replace(/&(?:quot|#34|#x22);/gi, '"')
    .replace(/&(?:apos|#39|#x27);/gi, "'")
    .replace(/&lt;/gi, '<')
    .replace(/&gt;/gi, '>')
    .replace(/&amp;/gi, '&');
}

/** Repairs the text in one pass, leaving strings intact; null if a string does not end. */
function repaired(text: string): string | null {
  let out = '';
  let at = 0;
  while (at < text.length) {
    const char = text[at] as string;
    if (char === '"') {
      const end = endOfString(text, at);
      if (end === -1) return null;
      out += escaped(text.slice(at, end));
      at = end;
    } else if (char === '/' && (text[at + 1] === '/' || text[at + 1] === '*')) {
      const isLine = text[at + 1] === '/';
      const end = text.indexOf(isLine ? '\n' : '*/', at + 2);
      at = end === -1 ? text.length : end + (isLine ? 1 : 2);
    } else if (char === ',') {
      const next = nextMark(text, at + 1);
      if (next !== '}' && next !== ']') out += char;
      at++;
    } else {
      out += char;
      at++;
    }
  }
  return out;
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

/** The next character that is not white space. */
function nextMark(text: string, from: number): string | undefined {
  let at = from;
  while (at < text.length && /\s/.test(text[at] as string)) at++;
  return text[at];
}

function escaped(literal: string): string {
  return (
    literal
      // JSON has no \' and the like; pages mean the character alone.
      .replace(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|([\s\S]))/g, (whole, odd: string | undefined) =>
        odd === undefined || odd === 'u' || odd === 'x' ? whole : odd,
      )
      .replace(/\p{Cc}/gu, (control) =>
        control > '\x1f' ? control : `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
  );
}
