// The languages for numbers and times: always ones that the browser's formatters accept.

/**
 * The language of the dashboard's texts, and the fallback for a language that formatters reject.
 */
const FALLBACK = 'en-US';

/**
 * The language tag if formatters accept it, else the tag without encoding or variant (`en-US@posix`
 * is `en-US`), else English. Browsers report whatever the environment names, and Intl throws at
 * most of it.
 */
export function checkedLocale(tag: unknown): string {
  if (typeof tag !== 'string') return FALLBACK;
  const plain = tag.split(/[@.]/, 1)[0]?.replaceAll('_', '-') ?? '';
  return [tag, plain].find(isAccepted) ?? FALLBACK;
}

function isAccepted(tag: string): boolean {
  try {
    return Intl.NumberFormat.supportedLocalesOf([tag]).length > 0;
  } catch {
    return false;
  }
}

type Languages = { readonly language: string; readonly languages: readonly string[] };

/**
 * Replaces the browser's languages by checked ones. Libraries read them unchecked as soon as
 * they are loaded, so this must run before anything that is loaded later.
 */
export function mendLanguages(browser: Languages): void {
  const language = checkedLocale(browser.language);
  const languages = [...new Set((browser.languages ?? []).map(checkedLocale))];
  if (language === browser.language && languages.join() === browser.languages?.join()) return;
  Object.defineProperty(browser, 'language', { configurable: true, value: language });
  Object.defineProperty(browser, 'languages', {
    configurable: true,
    value: Object.freeze(languages.length > 0 ? languages : [language]),
  });
}

/** Numbers as in the United States, where the marketplace is: 1,234.5. */
export const numberFormat = (options?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en-US', options);

/** Day before month, 24-hour clock. */
export const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', options);

/** Such as `Europe/Berlin`. */
export const browserTimeZone = () => dateFormat({}).resolvedOptions().timeZone;
