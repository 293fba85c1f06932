interface Change {
  /** The lines of the base that it replaces, from `start` inclusive to `end` exclusive. */
  readonly start: number;
  readonly end: number;
  readonly lines: readonly string[];
}

/** A three-way merge by lines; null if both sides change the same or adjoining lines differently, as in git. */
export const mergeText = (base: string, ours: string, theirs: string): string | null => {
  const lines = base.split('\n');
  const mine = changes(lines, ours.split('\n'));
  const other = changes(lines, theirs.split('\n'));
  for (const one of mine)
    for (const two of other)
      if (one.start <= two.end && two.start <= one.end && !isSame(one, two)) return null;
  const all = [...mine, ...other.filter((two) => !mine.some((one) => isSame(one, two)))];
  const result = [...lines];
  for (const change of all.sort((one, two) => two.start - one.start))
    result.splice(change.start, change.end - change.start, ...change.lines);
  return result.join('\n');
};

const isSame = (one: Change, two: Change): boolean =>
  one.start === two.start && one.end === two.end && one.lines.join('\n') === two.lines.join('\n');

/** The changes that turn `from` into `to`, by a longest common subsequence. */
const changes = (from: readonly string[], to: readonly string[]): readonly Change[] => {
  const kept = commonLines(from, to);
  const found: Change[] = [];
  let start = 0;
  let next = 0;
  for (const [index, other] of [...kept, [from.length, to.length] as const]) {
    if (index > start || other > next) found.push({ start, end: index, lines: to.slice(next, other) });
    start = index + 1;
    next = other + 1;
  }
  return found;
};

const commonLines = (
  from: readonly string[],
  to: readonly string[],
): readonly (readonly [number, number])[] => {
  const width = to.length + 1;
  const lengths = new Uint32Array((from.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = from.length - 1; row >= 0; row -= 1)
    for (let column = to.length - 1; column >= 0; column -= 1)
      lengths[row * width + column] =
        from[row] === to[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const pairs: (readonly [number, number])[] = [];
  for (let row = 0, column = 0; row < from.length && column < to.length; ) {
    if (from[row] === to[column]) {
      pairs.push([row, column]);
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return pairs;
};
