// A response's body for reading: JSON set out in lines, anything else as it came.

export function prettyBody(body: string): string {
  const text = body.trim();
  if (!/^[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    // Cut off after its first 2 KB, or never JSON.
    return text;
  }
}
