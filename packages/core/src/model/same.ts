/** True where two rows of a kind hold the same, but for the fields that are left out. Rows within them are compared by their JSON. */
export const isSameRow = <Row extends object>(
  one: Row,
  other: Row,
  leftOut: readonly (keyof Row)[] = [],
): boolean =>
  one === other ||
  (Object.keys(one) as (keyof Row)[]).every(
    (key) =>
      one[key] === other[key] ||
      leftOut.includes(key) ||
      (isObject(one[key]) && isObject(other[key]) && JSON.stringify(one[key]) === JSON.stringify(other[key])),
  );

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null;
