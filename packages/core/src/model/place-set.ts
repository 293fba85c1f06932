/** A set of places in line, as bits: small numbers that V8 keeps without a box. */
export type Places = readonly number[];

const WIDTH = 30;

/** Adds all of one set, and one place more, to another set. */
export const addPlaces = (to: number[], places: Places, also: number): void => {
  while (to.length <= Math.floor(also / WIDTH)) to.push(0);
  for (let word = 0; word < places.length; word += 1) to[word] = (to[word] ?? 0) | (places[word] ?? 0);
  const last = Math.floor(also / WIDTH);
  to[last] = (to[last] ?? 0) | (1 << (also % WIDTH));
};

/** From the smallest to the largest. */
export const listOf = (places: Places): number[] => {
  const list: number[] = [];
  for (const [word, all] of places.entries())
    for (let bits = all; bits !== 0; bits &= bits - 1)
      list.push(word * WIDTH + 31 - Math.clz32(bits & -bits));
  return list;
};

export const sizeOf = (places: Places): number => {
  let size = 0;
  for (const all of places) for (let bits = all; bits !== 0; bits &= bits - 1) size += 1;
  return size;
};
