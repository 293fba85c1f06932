import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Runs a garbage collection now, of the whole heap or of the young generation. V8 exposes this only on request. */
export const collect = (what: 'all' | 'young'): void => {
  setFlagsFromString('--expose-gc');
  const gc: (options?: { readonly type: 'minor' }) => void = runInNewContext('gc');
  // A collection of type 'major' would leave half as much again.
  if (what === 'all') gc();
  else gc({ type: 'minor' });
};
