// PostgreSQL cannot store NUL or lone surrogates in jsonb and text, and a row that cannot be stored would be retried
// forever. So each such code unit is written as this mark and its four digits, and so is the mark itself.
const MARK = '\uF8FE';
const needsCare = /\\u0000|\\ud[89a-f]|\uF8FE/;
const units = /\\(?:u([0-9a-f]{4})|.)|\uF8FE/g;
const marked = /\uF8FE([0-9a-f]{4})/g;

/** Serializes a value so that the database can store it, whatever texts it has. */
export const storedJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  // Fast path: most values have neither.
  if (!json.includes('\\') && !json.includes(MARK)) return json;
  if (!needsCare.test(json)) return json;
  return json.replace(units, (unit: string, digits: string | undefined) => {
    if (unit === MARK) return `${MARK}f8fe`;
    return digits === '0000' || /^d[89a-f]/.test(digits ?? '') ? MARK + digits : unit;
  });
};

/** The inverse of `storedJson`. */
export const fromStoredJson = <Value>(json: string): Value =>
  JSON.parse(json.includes(MARK) ? json.replace(marked, '\\u$1') : json) as Value;

/** The value of a column selected as a document; null if it is null. */
export const documentIn = <Value>(column: unknown): Value =>
  typeof column === 'string' ? fromStoredJson(column) : ((column ?? null) as Value);

const isPlain = /^[ -~]*$/;

/** The same for a plain text column. */
export const storedText = (text: string): string =>
  isPlain.test(text) ? text : (JSON.parse(storedJson(text)) as string);

export const fromStoredText = (text: string): string =>
  text.includes(MARK)
    ? text.replace(marked, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : text;
