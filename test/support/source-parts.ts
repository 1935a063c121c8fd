// Splits a TypeScript file into code, comments and texts, well enough for rules about them.

export type SourceParts = {
  /** The code alone: without comments, texts and patterns emptied, line breaks kept. */
  code: string;
  /** The file with its texts emptied, for the line length. */
  withoutTexts: string;
  comments: string[];
  /** Each quoted text and each part of a template between its holes. */
  texts: string[];
};

const BEFORE_PATTERN = /(?:^|[(,=:[!&|?{};+\-*%~^<>]|=>|\b(?:return|case|typeof|in|of))\s*$/;

export function sourceParts(source: string): SourceParts {
  const parts: SourceParts = { code: '', withoutTexts: '', comments: [], texts: [] };
  /** For each open template hole, how many braces are open inside it. */
  const holes: number[] = [];
  let at = 0;

  const keep = (text: string) => {
    parts.code += text;
    parts.withoutTexts += text;
  };
  const takeComment = (end: number) => {
    const text = source.slice(at, end);
    parts.comments.push(text);
    parts.withoutTexts += text;
    parts.code += text.replace(/[^\n]/g, '');
    at = end;
  };
  /** Up to the closing quote, or to the hole of a template. */
  const takeText = (quote: string) => {
    const start = at;
    while (at < source.length && source[at] !== quote) {
      if (source[at] === '\\') at += 1;
      else if (quote === '`' && source.startsWith('${', at)) break;
      at += 1;
    }
    const text = source.slice(start, at);
    parts.texts.push(text);
    keep(text.replace(/[^\n]/g, ''));
    if (source[at] === quote) {
      keep(quote);
      at += 1;
    } else {
      keep('${');
      at += 2;
      holes.push(0);
    }
  };
  const takePattern = () => {
    let inClass = false;
    for (at += 1; at < source.length && (inClass || source[at] !== '/'); at++) {
      if (source[at] === '\\') at += 1;
      else if (source[at] === '[') inClass = true;
      else if (source[at] === ']') inClass = false;
    }
    at += 1;
    keep('/ /');
  };

  while (at < source.length) {
    const sign = source[at] as string;
    if (source.startsWith('//', at)) {
      const end = source.indexOf('\n', at);
      takeComment(end === -1 ? source.length : end);
    } else if (source.startsWith('/*', at)) {
      takeComment(source.indexOf('*/', at) + 2);
    } else if (sign === "'" || sign === '"' || sign === '`') {
      keep(sign);
      at += 1;
      takeText(sign);
    } else if (sign === '/' && BEFORE_PATTERN.test(parts.code.slice(-20))) {
      takePattern();
    } else {
      const open = holes.at(-1);
      keep(sign);
      at += 1;
      if (open === undefined) continue;
      if (sign === '{') holes[holes.length - 1] = open + 1;
      else if (sign === '}' && open > 0) holes[holes.length - 1] = open - 1;
      else if (sign === '}') {
        holes.pop();
        takeText('`');
      }
    }
  }
  return parts;
}
