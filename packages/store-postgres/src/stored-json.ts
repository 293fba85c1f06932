// jsonb and text cannot hold NUL or half of a surrogate pair, and what cannot be stored would be asked for again for ever.
// So each such code unit is written as this mark and its four digits, and the mark itself likewise.
const MARK = '\uF8FE';
const needsCare = /\\u0000|\\ud[89a-f]|\uF8FE/;
const units = /\\(?:u([0-9a-f]{4})|.)|\uF8FE/g;
const marked = /\uF8FE([0-9a-f]{4})/g;

/** JSON that the database keeps whatever texts are in it. */
export const storedJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  // Most have neither, which shows at once.
  if (!json.includes('\\') && !json.includes(MARK)) return json;
  if (!needsCare.test(json)) return json;
  return json.replace(units, (unit: string, digits: string | undefined) => {
    if (unit === MARK) return `${MARK}f8fe`;
    return digits === '0000' || /^d[89a-f]/.test(digits ?? '') ? MARK + digits : unit;
  });
};

/** What `storedJson` was made of. */
export const fromStoredJson = <Value>(json: string): Value =>
  JSON.parse(json.includes(MARK) ? json.replace(marked, '\\u$1') : json) as Value;

/** What stands in a column that was asked for as a document; null where nothing does. */
export const documentIn = <Value>(column: unknown): Value =>
  typeof column === 'string' ? fromStoredJson(column) : ((column ?? null) as Value);

const isPlain = /^[ -~]*$/;

/** The same for a text that stands alone in a column. */
export const storedText = (text: string): string =>
  isPlain.test(text) ? text : (JSON.parse(storedJson(text)) as string);

export const fromStoredText = (text: string): string =>
  text.includes(MARK)
    ? text.replace(marked, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    : text;
