// The length of a password, as the server checks it, and the validation of a password change.
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters.`;

type TypedPasswords = { current: string; next: string; repeated: string };
export type PasswordFaults = Partial<Record<keyof TypedPasswords, string>>;

export function passwordFaults({ current, next, repeated }: TypedPasswords): PasswordFaults {
  const faults: PasswordFaults = {};
  if (current === '') faults.current = 'Enter your current password.';
  if (next.length < PASSWORD_CHARS_MIN)
    faults.next = `Use at least ${PASSWORD_CHARS_MIN} characters.`;
  else if (next.length > PASSWORD_CHARS_MAX)
    faults.next = `Use at most ${PASSWORD_CHARS_MAX} characters.`;
  else if (next === current) faults.next = 'This is your current password.';
  if (repeated !== next) faults.repeated = 'The passwords do not match.';
  return faults;
}
