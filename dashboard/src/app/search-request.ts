// A search that the user has started elsewhere, such as in the command palette, and whose price was
// shown there. Kept in memory only: opening a link to a search never costs anything.
let requested: string | null = null;

const TEXT_CHARS_MAX = 200;

/** The text of a search, as it is sent and stored. */
export const searchText = (typed: string): string =>
  typed.trim().replace(/\s+/g, ' ').slice(0, TEXT_CHARS_MAX);

export function requestSearch(text: string): void {
  requested = text;
}

/** Whether this text was requested; a request is taken once. */
export function takeSearchRequest(text: string): boolean {
  const isRequested = text !== '' && requested === text;
  if (isRequested) requested = null;
  return isRequested;
}
