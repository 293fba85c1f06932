/**
 * Serializes a value as canonical JSON (RFC 8785): keys sorted by UTF-16 code units, no white space, numbers and
 * strings as ECMAScript writes them. Throws a TypeError for values that JSON cannot hold.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number' && Number.isFinite(value)) return String(value);
  if (typeof value !== 'object') throw new TypeError(`JSON cannot hold ${String(value)}.`);
  return Array.isArray(value) ? textOfItems(value) : textOfFields(value as Record<string, unknown>);
};

const textOfItems = (items: readonly unknown[]): string => {
  let text = '';
  for (const item of items) text += `${text === '' ? '' : ','}${canonicalJson(item)}`;
  return `[${text}]`;
};

const textOfFields = (fields: Readonly<Record<string, unknown>>): string => {
  let text = '';
  for (const key of Object.keys(fields).sort())
    text += `${text === '' ? '' : ','}${quoted(key)}:${canonicalJson(fields[key])}`;
  return `{${text}}`;
};

// Fast path: printable ASCII without quotes and backslashes needs no escaping.
const quoted = (text: string): string => (/^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : JSON.stringify(text));
