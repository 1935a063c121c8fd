// The length of a password, as the server checks it, and the validation of a password change.
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters.`;

type TypedPasswords = { current: string; next: string; repeated: string };
export type PasswordErrors = Partial<Record<keyof TypedPasswords, string>>;

export function passwordErrors({ current, next, repeated }: TypedPasswords): PasswordErrors {
  const errors: PasswordErrors = {};
  if (current === '') errors.current = 'Enter your current password.';
  if (next.length < PASSWORD_CHARS_MIN)
    errors.next = `Use at least ${PASSWORD_CHARS_MIN} characters.`;
  else if (next.length > PASSWORD_CHARS_MAX)
    errors.next = `Use at most ${PASSWORD_CHARS_MAX} characters.`;
  else if (next === current) errors.next = 'This is your current password.';
  if (repeated !== next) errors.repeated = 'The passwords do not match.';
  return errors;
}
