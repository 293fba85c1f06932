/**
 * The one text of a JSON value, as RFC 8785 has it: keys sorted by UTF-16 code units, no white space, numbers and strings
 * as ECMAScript writes them. Throws a TypeError for what JSON cannot hold, so that nothing is left out silently.
 */
export const canonicalJson = (value: unknown): string => {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object') throw new TypeError(`JSON cannot hold ${String(value)}.`);
  const fields = Object.keys(value)
    .sort()
    .map((key) => `${JSON.stringify(key)}:${canonicalJson((value as Record<string, unknown>)[key])}`);
  return `{${fields.join(',')}}`;
};
