import { closest, distance } from 'fastest-levenshtein';

/** Names further away than this share of their length are not suggested. */
const SUGGESTION_DISTANCE = 0.4;
/** Shorter texts occur in too many names. */
const PART_CHARS_MIN = 4;

const lettersOf = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

/** The known name that was probably meant: one that contains the given one, else the nearest. Null if none is near. */
export const nearestName = (given: string, known: readonly string[]): string | null => {
  const asked = lettersOf(given);
  const byLetters = new Map(known.map((name) => [lettersOf(name), name]));
  const all = [...byLetters.keys()];
  const containing = asked.length < PART_CHARS_MIN ? [] : all.filter((one) => one.includes(asked));
  const nearest = closest(asked, containing.length > 0 ? containing : all);
  const isNear = containing.length > 0 || distance(asked, nearest) <= SUGGESTION_DISTANCE * asked.length;
  return isNear ? (byLetters.get(nearest) ?? null) : null;
};
