import { describe, expect, test } from 'vitest';
import { isCommonPassword } from './common-password.ts';

describe('a password is common', () => {
  test.each([
    'password1234',
    'P@ssw0rd123',
    'qwertyuiop',
    '1234567890',
    'aaaaaaaaaa',
    'iloveyou123',
    'oversight2026',
    'x'.repeat(128),
  ])('"%s"', async (password) => {
    expect(await isCommonPassword(password)).toBe(true);
  });

  test('when it is made of the e-mail address', async () => {
    expect(await isCommonPassword('green.garden1', 'green.garden@example.com')).toBe(true);
    expect(await isCommonPassword('green.garden1')).toBe(false);
  });
});

test.each(['correct horse battery', 'kJ8#mm2pQzL1', 'vanilla-tractor-9'])(
  '"%s" is not common',
  async (password) => {
    expect(await isCommonPassword(password, 'name@example.com')).toBe(false);
  },
);
