/** A set of ranks in the line, as bits. 30 bits per number, because V8 stores such small integers unboxed. */
export type RankSet = readonly number[];

const WIDTH = 30;

/** Adds all members of `places`, and `also`, to `to`. */
export const addRanks = (to: number[], places: RankSet, also: number): void => {
  while (to.length <= Math.floor(also / WIDTH)) to.push(0);
  for (let word = 0; word < places.length; word += 1) to[word] = (to[word] ?? 0) | (places[word] ?? 0);
  const last = Math.floor(also / WIDTH);
  to[last] = (to[last] ?? 0) | (1 << (also % WIDTH));
};

/** The members in ascending order. */
export const listOf = (places: RankSet): number[] => {
  const list: number[] = [];
  for (const [word, all] of places.entries())
    for (let bits = all; bits !== 0; bits &= bits - 1)
      list.push(word * WIDTH + 31 - Math.clz32(bits & -bits));
  return list;
};

export const sizeOf = (places: RankSet): number => {
  let size = 0;
  for (const all of places) for (let bits = all; bits !== 0; bits &= bits - 1) size += 1;
  return size;
};
