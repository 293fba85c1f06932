import type { Instant, Sha, TestRunId } from '../model/ids.js';

/** Names in a list; the rest is counted. */
const NAMED_LIMIT = 5;
/** Longer texts and names from outside are cut. */
const WORDS_CHARS_LIMIT = 300;
const NAME_CHARS_LIMIT = 80;

/** E.g. `2026-05-04 09:08:07 UTC`. Without `Intl`, which takes ten times as long: each answer to a submit contains some times. */
export const timeOf = (at: Instant): string =>
  `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** The two largest units: `40 s`, `6 min`, `2 h 5 min`, `3 d 4 h`. A negative duration is `0 s`. */
export const durationOf = (ms: number): string => {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  const [minutes, hours, days] = [seconds / 60, seconds / 3_600, seconds / 86_400].map(Math.floor) as [
    number,
    number,
    number,
  ];
  if (days > 0) return joined(`${days} d`, hours % 24, 'h');
  if (hours > 0) return joined(`${hours} h`, minutes % 60, 'min');
  return minutes > 0 ? `${minutes} min` : `${seconds} s`;
};

const joined = (larger: string, rest: number, unit: string): string =>
  rest === 0 ? larger : `${larger} ${rest} ${unit}`;

/** `a`, `a and b`, `a, b and c`, and beyond the limit `a, b, c, d, e and 4 more`. */
export const listed = (names: readonly string[]): string => {
  const named = names.slice(0, NAMED_LIMIT);
  const more = names.length - named.length;
  if (more > 0) return `${named.join(', ')} and ${more} more`;
  return named.length < 2 ? named.join('') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
};

export const prOf = (pr: number): string => `#${pr}`;

export const prsOf = (members: readonly { readonly pr: number }[]): string =>
  listed(members.map(({ pr }) => prOf(pr)));

/** `#1`, or `one of #1 and #2` for several. */
export const oneOf = (members: readonly { readonly pr: number }[]): string =>
  members.length === 1 ? prsOf(members) : `one of ${prsOf(members)}`;

/** The pull requests in these runs: `#1 and #2`, or with batches `the batch of #1 and #2, and #3`. */
export const holdersOf = (
  runs: readonly { readonly batch: readonly { readonly pr: number }[] }[],
): string => {
  if (runs.every(({ batch }) => batch.length === 1)) return prsOf(runs.flatMap(({ batch }) => batch));
  const named = runs
    .slice(0, NAMED_LIMIT)
    .map(({ batch }) => (batch.length === 1 ? '' : 'the batch of ') + prsOf(batch));
  const more = runs.length - named.length;
  return [...named, ...(more === 0 ? [] : [`${more} more`])].join(', and ');
};

export const checksOf = (names: readonly string[]): string => listed(names.map(cutName));

/** A commit name, abbreviated to 8 digits. */
export const shortOf = (name: Sha): string => name.slice(0, 8);

/** The whole id of a test run, as the API accepts it. */
export const runOf = (id: TestRunId): string => id;

export const cutName = (name: string): string =>
  name.length <= NAME_CHARS_LIMIT ? name : `${name.slice(0, NAME_CHARS_LIMIT)}…`;

/** A text from outside as part of a sentence: on one line, cut, without its full stop. `otherwise` if it is empty. */
export const quoted = (words: string | null, otherwise: string): string => {
  const line = (words ?? '').replace(/\s+/g, ' ').trim().replace(/\.+$/, '');
  if (line === '') return otherwise;
  return line.length <= WORDS_CHARS_LIMIT ? line : `${line.slice(0, WORDS_CHARS_LIMIT)}…`;
};

/** `is` for one, `are` for more. */
export const be = (count: number): string => (count === 1 ? 'is' : 'are');
