// What is wrong with the fields of a password change, before anything is sent.

const CHARS_MIN = 10;
const CHARS_MAX = 128;

export type TypedPasswords = { current: string; next: string; repeated: string };
export type PasswordFaults = Partial<Record<keyof TypedPasswords, string>>;

export function passwordFaults({ current, next, repeated }: TypedPasswords): PasswordFaults {
  const faults: PasswordFaults = {};
  if (current === '') faults.current = 'Enter the password that you have now.';
  if (next.length < CHARS_MIN) faults.next = `It needs at least ${CHARS_MIN} characters.`;
  else if (next.length > CHARS_MAX) faults.next = `It has at most ${CHARS_MAX} characters.`;
  else if (next === current) faults.next = 'This is the password that you have now.';
  if (repeated !== next) faults.repeated = 'The two are not the same.';
  return faults;
}
