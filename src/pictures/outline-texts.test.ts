// Texts as outlines: each in its place, none left for the renderer, which has no font.
import { expect, test } from 'vitest';
import { textAt } from './draw-panel.ts';
import { outlineTexts } from './outline-texts.ts';
import { widthOf } from './svg-text.ts';

const style = { sizePx: 10, fill: '#123456' };

test('every text becomes a path of its colour', () => {
  const svg = `<svg>${textAt([5, 20], 'Kettle & "more"', style)}<rect/></svg>`;
  const outlined = outlineTexts(svg);
  expect(outlined).not.toContain('<text');
  expect(outlined).toMatch(
    /^<svg><path transform="translate\(5\.00 20\)scale\([\d.]+ -[\d.]+\)" fill="#123456" d="M[^"]+z"\/><rect\/><\/svg>$/,
  );
});

test('is placed by its anchor', () => {
  const width = widthOf('Kettle', style);
  const startOf = (anchor: 'middle' | 'end') =>
    Number(
      /translate\(([\d.]+)/.exec(
        outlineTexts(textAt([200, 9], 'Kettle', { ...style, anchor })),
      )?.[1],
    );
  expect(startOf('end')).toBeCloseTo(200 - width, 1);
  expect(startOf('middle')).toBeCloseTo(200 - width / 2, 1);
});

test('accented, Greek and Cyrillic letters have outlines; others are skipped', () => {
  const contours = (text: string) =>
    [...outlineTexts(textAt([0, 0], text, style)).matchAll(/M/g)].length;
  expect(contours('i')).toBe(2);
  expect(contours('ä')).toBe(contours('a') + 2);
  expect(contours('Ж')).toBeGreaterThan(0);
  expect(contours('λ')).toBeGreaterThan(0);
  expect(contours('電')).toBe(0);
});
