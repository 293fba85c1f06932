/** Whether two rows are equal, except for one optional field. Nested values are compared as JSON. */
export const isSameRow = <Row extends object>(one: Row, other: Row, leftOut?: keyof Row): boolean => {
  if (one === other) return true;
  for (const key in one) if (key !== leftOut && !isSameWithin(one[key], other[key])) return false;
  return true;
};

/** Returns the old value if it equals the new one, so that identity means "unchanged". */
export const keptIfSame = <Value>(before: Value, after: Value): Value =>
  isSameWithin(before, after) ? before : after;

/** Whether two nested values are equal, compared as JSON. */
export const isSameWithin = (one: unknown, other: unknown): boolean =>
  one === other ||
  (typeof one === 'object' &&
    typeof other === 'object' &&
    one !== null &&
    other !== null &&
    (areBothEmpty(one, other) || JSON.stringify(one) === JSON.stringify(other)));

const areBothEmpty = (one: object, other: object): boolean =>
  Array.isArray(one) && Array.isArray(other) && one.length === 0 && other.length === 0;
