// Validation of a password change before it is sent.
import { expect, test } from 'vitest';
import { passwordErrors } from './password-rule.ts';

const GOOD = { current: 'old password', next: 'a new password', repeated: 'a new password' };

test('a valid, repeated new password has no error', () => {
  expect(passwordErrors(GOOD)).toEqual({});
});

test.each([
  ['current', { ...GOOD, current: '' }],
  ['next', { ...GOOD, next: 'too short', repeated: 'too short' }],
  ['next', { ...GOOD, next: 'x'.repeat(129), repeated: 'x'.repeat(129) }],
  ['next', { ...GOOD, next: GOOD.current, repeated: GOOD.current }],
  ['repeated', { ...GOOD, repeated: 'a new passwort' }],
])('the error is on the field %s', (field, typed) => {
  expect(Object.keys(passwordErrors(typed))).toEqual([field]);
});
