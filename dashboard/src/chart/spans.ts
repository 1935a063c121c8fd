// Spans of time: without a buybox, not observed, and who held the buybox. Sorted and apart.

export type Span = { fromAtMs: number; toAtMs: number };
export type HolderSpan = Span & { seller: string };

/** Joins spans that touch or overlap. */
export function joinSpans(spans: readonly Span[]): Span[] {
  const sorted = spans.filter(({ fromAtMs, toAtMs }) => toAtMs > fromAtMs);
  sorted.sort((a, b) => a.fromAtMs - b.fromAtMs);
  const joined: Span[] = [];
  for (const span of sorted) {
    const last = joined.at(-1);
    if (last === undefined || span.fromAtMs > last.toAtMs) joined.push({ ...span });
    else last.toAtMs = Math.max(last.toAtMs, span.toAtMs);
  }
  return joined;
}

/** What of `spans` is not in `others`; both sorted and apart. */
export function withoutSpans<T extends Span>(spans: readonly T[], others: readonly Span[]): T[] {
  const rest: T[] = [];
  let next = 0;
  for (const span of spans) {
    let { fromAtMs } = span;
    while (next > 0 && (others[next - 1] as Span).toAtMs > fromAtMs) next -= 1;
    for (; next < others.length; next += 1) {
      const other = others[next] as Span;
      if (other.fromAtMs >= span.toAtMs) break;
      if (other.toAtMs <= fromAtMs) continue;
      if (other.fromAtMs > fromAtMs) rest.push({ ...span, fromAtMs, toAtMs: other.fromAtMs });
      fromAtMs = Math.max(fromAtMs, other.toAtMs);
    }
    if (fromAtMs < span.toAtMs) rest.push({ ...span, fromAtMs });
  }
  return rest;
}

/** The index of the first span that ends after an instant. */
export function firstEndingAfter(spans: readonly Span[], atMs: number): number {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((spans[middle] as Span).toAtMs > atMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

export function spanAt<T extends Span>(spans: readonly T[], atMs: number): T | undefined {
  const span = spans[firstEndingAfter(spans, atMs)];
  return span !== undefined && span.fromAtMs <= atMs ? span : undefined;
}
