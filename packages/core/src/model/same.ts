/** True where two rows of a kind hold the same, but for one field that may be left out. Lists and rows within go by their JSON. */
export const isSameRow = <Row extends object>(one: Row, other: Row, leftOut?: keyof Row): boolean => {
  if (one === other) return true;
  for (const key in one) if (key !== leftOut && !isSameWithin(one[key], other[key])) return false;
  return true;
};

/** What was there before, where the new one holds the same: so that what did not change is seen to be the same. */
export const keptIfSame = <Value>(before: Value, after: Value): Value =>
  isSameWithin(before, after) ? before : after;

/** The same for what such a row holds. */
export const isSameWithin = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' &&
    typeof other === 'object' &&
    one !== null &&
    other !== null &&
    (areBothEmpty(one, other) || JSON.stringify(one) === JSON.stringify(other)));

const areBothEmpty = (one: object, other: object): boolean =>
  Array.isArray(one) && Array.isArray(other) && one.length === 0 && other.length === 0;
