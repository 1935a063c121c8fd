// Money is a whole number of cents inside the house and a decimal number of dollars on the wire.

/**
 * Cents as the number a customer sees. Exact: the quotient is the double nearest to the decimal, and
 * JSON writes the shortest text that reads back as that double, so 1999 is always written 19.99.
 */
export function dollars(cents: number): number {
  return cents / 100;
}
