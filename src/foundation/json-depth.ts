// Checks how deeply a JSON text is nested without parsing it: values of thousands of levels
// overflow the stack of code that walks through them.

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];

export function isDeeperThan(text: string, levelsMax: number): boolean {
  if (text.length <= levelsMax) return false;
  let levels = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      at = endOfString(text, at);
    } else if (char === OPEN_LIST || char === OPEN_OBJECT) {
      if (++levels > levelsMax) return true;
    } else if (char === CLOSE_LIST || char === CLOSE_OBJECT) {
      levels--;
    }
  }
  return false;
}

/** Index of the quote that closes a string; the length of the text if none does. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === BACKSLASH) at++;
    else if (char === QUOTE) return at;
  }
  return text.length;
}
