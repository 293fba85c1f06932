import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Has V8 collect now, which it lends nobody unless it is asked: all of the heap, or only what is young of it. */
export const collect = (what: 'all' | 'young'): void => {
  setFlagsFromString('--expose-gc');
  const gc: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');
  // A collection of type 'major' is no such thing: it leaves half as much again.
  if (what === 'all') gc();
  else gc({ type: 'minor' });
};
