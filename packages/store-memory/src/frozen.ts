const walked = new WeakSet<object>();

/** Deep-freezes a value in place. Values frozen here before are skipped. */
export const frozen = <Value>(value: Value): Value => {
  if (typeof value !== 'object' || value === null || walked.has(value)) return value;
  walked.add(value);
  Object.freeze(value);
  for (const part of Object.values(value)) frozen(part);
  return value;
};
