// Money is a whole number of cents inside the house and a decimal number of dollars on the wire.

/** Cents as the JSON number a customer sees: 1999 → `19.99`, 500 → `5`. Exact: no float is divided. */
export function centsToJson(cents: number): string {
  const sign = cents < 0 ? '-' : '';
  const whole = Math.trunc(Math.abs(cents) / 100);
  const rest = Math.abs(cents) % 100;
  if (rest === 0) return `${sign}${whole}`;
  if (rest % 10 === 0) return `${sign}${whole}.${rest / 10}`;
  return `${sign}${whole}.${rest < 10 ? '0' : ''}${rest}`;
}
