/** A series of a chart: one value for each bucket; null if there is none. */
export interface Series {
  readonly name: string;
  readonly tone: 'good' | 'bad' | 'busy' | 'held' | 'plain';
  readonly values: readonly (number | null)[];
}

const STEPS = [1, 2, 2.5, 5, 10];

/** The least round number that is not below the value: 1, 2, 2.5, 5 and their tenfolds. */
export const roundMaximum = (value: number): number => {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  const step = STEPS.find((one) => one * power >= value) ?? 10;
  return step * power;
};

export interface Bar {
  readonly index: number;
  readonly tone: Series['tone'];
  readonly from: number;
  readonly to: number;
}

/** The series on top of each other, as parts of the height; the first one at the bottom. */
export const stackedBars = (
  series: readonly Series[],
): { readonly bars: readonly Bar[]; readonly maximum: number } => {
  const length = series[0]?.values.length ?? 0;
  const sums = Array.from({ length }, (_, index) =>
    series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0),
  );
  const maximum = roundMaximum(Math.max(0, ...sums));
  const bars = sums.flatMap((_, index) => {
    let from = 0;
    return series.flatMap(({ values, tone }) => {
      const value = values[index] ?? 0;
      const bar = { index, tone, from: from / maximum, to: (from + value) / maximum };
      from += value;
      return value === 0 ? [] : [bar];
    });
  });
  return { bars, maximum };
};

/** The points of a line, as parts of the width and the height; a gap ends a piece of it. */
export const linePieces = (
  values: readonly (number | null)[],
  maximum: number,
): readonly (readonly (readonly [x: number, y: number])[])[] => {
  const pieces: (readonly [number, number])[][] = [[]];
  for (const [index, value] of values.entries()) {
    if (value === null) pieces.push([]);
    else pieces.at(-1)?.push([(index + 0.5) / values.length, value / maximum]);
  }
  return pieces.filter((piece) => piece.length > 0);
};
