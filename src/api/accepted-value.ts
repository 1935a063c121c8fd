// Reads lists with quality values, such as Accept and Accept-Encoding (RFC 9110, 12.4.2).

export type AcceptedValue = { name: string; quality: number };

/** More values than any client sends; the rest is ignored. */
const VALUES_MAX = 32;

/** The values that are not excluded by `q=0`, in the order of the header, in lower case. */
export function acceptedValues(header: string | undefined): AcceptedValue[] {
  if (header === undefined || header === '') return [];
  return header
    .toLowerCase()
    .split(',', VALUES_MAX)
    .map((value) => {
      const [name = '', ...parameters] = value.split(';').map((part) => part.trim());
      const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
      return { name, quality: quality === undefined ? 1 : qualityOf(quality) };
    })
    .filter(({ name, quality }) => name !== '' && quality > 0);
}

/** The quality of a value, 0 if the client excludes it: its own, or that of the wildcard. */
export function qualityIn(header: string | undefined, name: string): number {
  for (const value of (header ?? '').toLowerCase().split(',', VALUES_MAX)) {
    const valueName = value.split(';', 1)[0]?.trim();
    if (valueName === name) return acceptedValues(value)[0]?.quality ?? 0;
  }
  return acceptedValues(header).find((value) => value.name === '*')?.quality ?? 0;
}

/** A malformed quality excludes the value. */
function qualityOf(text: string): number {
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
