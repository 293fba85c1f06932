const walked = new WeakSet<object>();

/** Freezes a value and all that it holds, in place. What was frozen here before is not walked again. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || walked.has(value)) return value;
  walked.add(value);
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
};
