// Which conditions are accepted, with which reason others are refused, and what they evaluate to.
import { describe, expect, test } from 'vitest';
import { bounds } from '../foundation/bounds.ts';
import { Problem } from '../foundation/problem.ts';
import { readCondition } from './condition.ts';
import type { ConditionValues } from './condition-name.ts';

const codeOf = (text: string): string | null => {
  try {
    readCondition(text);
    return null;
  } catch (error) {
    return error instanceof Problem && error.field === 'condition' ? error.code : String(error);
  }
};

describe('a condition', () => {
  test.each<[string, ConditionValues, boolean | null]>([
    ['price < 20 && stock > 0', { price: 19.99, stock: 1 }, true],
    ['price < 20 && stock > 0', { price: 19.99, stock: 0 }, false],
    ['price < 20 && stock > 0', { price: 20, stock: 1 }, false],
    ['lowest_in_days >= 90', { lowest_in_days: 90 }, true],
    ['lost_box_hours > 2', { lost_box_hours: 2.5 }, true],
    ['my_seller != "" && buybox_seller != my_seller', { my_seller: 'A', buybox_seller: 'B' }, true],
    ['buybox_seller in ["A", "B"]', { buybox_seller: 'B' }, true],
    ['price * 2 - 1 <= lowest_offer / 3.5', { price: 1, lowest_offer: 3.5 }, true],
    ['stock == 0 || stock != 5', { stock: 5 }, false],
    ['rank > 100 ? price < 5 : price < 10', { rank: 7, price: 9 }, true],
    ['!(price < 20)', { price: 30 }, true],
    ['price_change_1d < -5', { price_change_1d: -5.01 }, true],
    ['price > 19.99 && price < 20.01', { price: 20 }, true],
    // What is unknown decides nothing, unless the other side decides.
    ['price < 20', {}, null],
    ['!(price < 20)', {}, null],
    ['price < 20 || stock > 0', { stock: 1 }, true],
    ['price < 20 && stock > 0', { stock: 0 }, false],
    ['price < 20 && stock > 0', { stock: 1 }, null],
  ])('%s of %j is %s', (text, values, result) => {
    expect(readCondition(text).evaluate(values)).toBe(result);
  });

  test.each([
    ['', 'condition_malformed'],
    ['price <', 'condition_malformed'],
    ['price < 20; stock', 'condition_malformed'],
    ['price = 20', 'condition_malformed'],
    ['cost < 20', 'condition_name_unknown'],
    ['constructor < 20', 'condition_name_unknown'],
    ['__proto__ == 1', 'condition_malformed'],
    ['price.constructor == 1', 'condition_malformed'],
    ['buybox_seller["constructor"] == 1', 'condition_malformed'],
    ['buybox_seller.matches("(a+)+$")', 'condition_malformed'],
    ['size(buybox_seller) > 2', 'condition_malformed'],
    ['[1, 2].map(x, x * 2).size() > price', 'condition_malformed'],
    ['{"a": 1}.a < price', 'condition_malformed'],
    ['price in my_seller', 'condition_malformed'],
    ['b"x" == b"y" || price < 3', 'condition_malformed'],
    ['price == null', 'condition_malformed'],
    ['price', 'condition_type_invalid'],
    ['price < "a"', 'condition_type_invalid'],
    ['price && stock', 'condition_type_invalid'],
    ['my_seller + 1 == 2', 'condition_type_invalid'],
    ['true', 'condition_constant'],
    ['1 < 2', 'condition_constant'],
    ['price < 0', 'condition_constant'],
    ['price >= 0 || stock > 5', 'condition_constant'],
    ['price < 5 && price > 10', 'condition_constant'],
    [`${'('.repeat(40)}price < 2${')'.repeat(40)}`, 'condition_too_complex'],
    [Array.from({ length: 40 }, () => 'price<1').join('||'), 'condition_too_complex'],
    [`price < 1${' '.repeat(bounds.conditionCharsMax)}`, 'condition_too_complex'],
    ['!'.repeat(400), 'condition_malformed'],
  ])('%s is refused: %s', (text, code) => {
    expect(codeOf(text)).toBe(code);
  });

  test('is refused in bounded time, whatever it is', () => {
    const texts = ['!', '-', '(', '[', '"a"+', 'price<', '?', 'in ', 'rank>1?'].map((part) =>
      part.repeat(Math.floor(bounds.conditionCharsMax / part.length)),
    );
    for (const text of texts) expect(codeOf(text)).toMatch(/^condition_/);
  });
});
