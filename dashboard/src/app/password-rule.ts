// How long a password may be, as the server has it.
export const PASSWORD_CHARS_MIN = 10;
export const PASSWORD_CHARS_MAX = 128;
export const PASSWORD_HINT = `At least ${PASSWORD_CHARS_MIN} characters.`;

type TypedPasswords = { current: string; next: string; repeated: string };
export type PasswordFaults = Partial<Record<keyof TypedPasswords, string>>;

export function passwordFaults({ current, next, repeated }: TypedPasswords): PasswordFaults {
  const faults: PasswordFaults = {};
  if (current === '') faults.current = 'Enter the password that you have now.';
  if (next.length < PASSWORD_CHARS_MIN)
    faults.next = `It needs at least ${PASSWORD_CHARS_MIN} characters.`;
  else if (next.length > PASSWORD_CHARS_MAX)
    faults.next = `It has at most ${PASSWORD_CHARS_MAX} characters.`;
  else if (next === current) faults.next = 'This is the password that you have now.';
  if (repeated !== next) faults.repeated = 'The two are not the same.';
  return faults;
}
