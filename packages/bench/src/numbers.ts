/** The quantile of the values at this share; NaN without values. */
export const quantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
};

export const median = (values: readonly number[]): number => {
  const sorted = [...values].sort((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

export const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

export const mean = (values: readonly number[]): number => sum(values) / values.length;

/** The standard error of a ratio of two sums, from independent parts of both. */
export const errorOfRatio = (parts: readonly { readonly over: number; readonly under: number }[]): number => {
  const ratio = sum(parts.map(({ over }) => over)) / sum(parts.map(({ under }) => under));
  const squares = sum(parts.map(({ over, under }) => (over - ratio * under) ** 2));
  return Math.sqrt((squares * parts.length) / (parts.length - 1)) / sum(parts.map(({ under }) => under));
};

/** The 95 % interval of a share of which `count` of `total` were seen (Wilson). */
export const intervalOfShare = (count: number, total: number): readonly [low: number, high: number] => {
  const z = 1.96;
  const share = count / total;
  const spread = z * Math.sqrt((share * (1 - share)) / total + z ** 2 / (4 * total ** 2));
  const [middle, scale] = [share + z ** 2 / (2 * total), 1 + z ** 2 / total];
  return [Math.max(0, (middle - spread) / scale), (middle + spread) / scale];
};
