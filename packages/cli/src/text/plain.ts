import { stripVTControlCharacters } from 'node:util';

/** All controls but line break and tab, and signs without width, which turn the direction of text around. */
const CONTROLS = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu;

/** Removes what could steer a terminal from text that comes from outside. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replace(CONTROLS, '');

/** Applies `plain` to every string in a value, names of fields included. */
export const plainIn = <Value>(value: Value): Value => cleaned(value) as Value;

const cleaned = (value: unknown): unknown => {
  if (typeof value === 'string') return plain(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [plain(name), cleaned(each)]));
};

const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
    .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
    .join('');

/** JSON for programs in which a terminal finds no control either: they are escaped. */
export const jsonText = (value: unknown, indent?: number): string =>
  JSON.stringify(value, null, indent).replace(CONTROLS, escaped);

const LONG_ID = /\b([0-9a-f]{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{8}([0-9a-f]{4})\b/g;

/** Ids of test runs cut to their ends, so that the words beside them have room. `--json` has them whole. */
export const withShortIds = (text: string): string => text.replace(LONG_ID, '$1…$2');
