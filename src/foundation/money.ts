// Money: whole cents inside the service, decimal dollars in the API.

/**
 * Converts cents to dollars. Exact: the quotient is the double nearest to the decimal, and
 * JSON writes the shortest text that reads back as that double, so 1999 is always written 19.99.
 */
export function dollars(cents: number): number {
  return cents / 100;
}
