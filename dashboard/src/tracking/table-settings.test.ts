import { expect, test } from 'vitest';
import { readSettings, TABLE_DEFAULTS, VIEWS_MAX, withView } from './table-settings.ts';

test('settings that are missing or damaged become the defaults', () => {
  for (const text of [null, '', '{', 'null', '[]']) {
    expect(readSettings(text)).toEqual(TABLE_DEFAULTS);
  }
});

test('unknown columns and malformed views are ignored', () => {
  const text = JSON.stringify({
    hidden: ['rank', 'nonsense', 7],
    density: 'huge',
    views: [{ name: 'Mine', search: '?tier=0' }, { name: '' }, null, 'x'],
  });
  expect(readSettings(text)).toEqual({
    hidden: ['rank'],
    density: 'comfortable',
    views: [{ name: 'Mine', search: '?tier=0' }],
  });
});

test('a saved view replaces the one of its name, and the oldest of too many goes', () => {
  const many = Array.from({ length: VIEWS_MAX }, (_, index) => ({
    name: `view ${index}`,
    search: '',
  }));
  const views = withView(many, { name: 'new', search: '?q=kettle' });
  expect([views.length, views[0]?.name]).toEqual([VIEWS_MAX, 'new']);
  expect(withView(views, { name: 'new', search: '' })).toHaveLength(VIEWS_MAX);
});
