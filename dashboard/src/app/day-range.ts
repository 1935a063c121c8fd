// Days of a filter, in the reader's time zone, as instants of a request.

/** The start of a day, some days later; null if the text is not a day. */
export function startOfDay(day: string, daysLater: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  if (year === undefined) return null;
  const at = new Date(Number(year), Number(month) - 1, Number(date) + daysLater);
  // The server accepts no times before 1970.
  return Number.isFinite(at.getTime()) && at.getTime() >= 0 ? at.toISOString() : null;
}
