// The languages in which figures and times are written: always ones that the browser's formatters accept.

/** What the dashboard's texts are in, and what stands in for a language that formatters refuse. */
const FALLBACK = 'en-US';

/**
 * The language tag itself where formatters accept it, else what is left of it without an encoding or a variant
 * (`en-US@posix` is `en-US`), else English. Browsers pass on whatever the environment names, and Intl throws at most of it.
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
 * Puts checked languages in the place of the browser's. Libraries read them unchecked (uPlot as soon as it is loaded), so this
 * comes before anything that is loaded later.
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

/** Figures as in the United States, where the marketplace is: 1,234.5. */
export const numberFormat = (options?: Intl.NumberFormatOptions) =>
  new Intl.NumberFormat('en-US', options);

/** Days before months, hours up to 24. */
export const dateFormat = (options: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat('en-GB', options);
