import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Has V8 collect now, which it lends nobody unless it is asked: all of the heap, or what is young of it. */
export const collect = (type: 'major' | 'minor'): void => {
  setFlagsFromString('--expose-gc');
  const gc: (options: { readonly type: 'major' | 'minor' }) => void = runInNewContext('gc');
  gc({ type });
};
