// Language tags as browsers report them, and the ones that formatters get instead.
import { expect, test } from 'vitest';
import { checkedLocale, dateFormat, mendLanguages, numberFormat } from './locale.ts';

const TAGS = [
  { tag: 'de-CH', checked: 'de-CH' },
  { tag: 'en', checked: 'en' },
  { tag: 'en-US@posix', checked: 'en-US' },
  { tag: 'de_DE.UTF-8', checked: 'de-DE' },
  { tag: 'sr_RS@latin', checked: 'sr-RS' },
  { tag: 'C', checked: 'en-US' },
  { tag: 'C.UTF-8', checked: 'en-US' },
  { tag: 'POSIX', checked: 'en-US' },
  { tag: 'x-klingon', checked: 'en-US' },
  { tag: 'xx-unknown-', checked: 'en-US' },
  { tag: '', checked: 'en-US' },
  { tag: '@', checked: 'en-US' },
  { tag: undefined, checked: 'en-US' },
  { tag: null, checked: 'en-US' },
];

test.each(TAGS)('$tag is formatted as $checked', ({ tag, checked }) => {
  expect(checkedLocale(tag)).toBe(checked);
  expect(() => new Intl.NumberFormat(checkedLocale(tag)).format(1)).not.toThrow();
});

test.each(TAGS)('a browser that names $tag has a language formatters accept', ({ tag }) => {
  const languages = tag === undefined ? undefined : [tag, 'fr'];
  const browser = Object.create({ language: tag, languages }) as Navigator;
  mendLanguages(browser);
  expect(browser.language).toBe(checkedLocale(tag));
  expect(() => new Intl.NumberFormat([...browser.languages])).not.toThrow();
  expect(browser.languages[0]).toBe(checkedLocale(tag));
});

test('languages that formatters accept stay unchanged', () => {
  const browser = Object.create({ language: 'de', languages: ['de', 'en'] }) as Navigator;
  mendLanguages(browser);
  expect(Object.keys(Object.getOwnPropertyDescriptors(browser))).toEqual([]);
});

test('numbers and days have the same format for every reader', () => {
  expect(numberFormat({ maximumFractionDigits: 1 }).format(1234.56)).toBe('1,234.6');
  expect(dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' }).format(0)).toBe('1 Jan');
});
