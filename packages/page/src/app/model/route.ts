import type { QueueRef } from '../data/queue-view.js';

export type QueuePart = 'line' | 'settings' | 'history';

export type Route =
  | { readonly view: 'queues' }
  | { readonly view: 'queue'; readonly ref: QueueRef; readonly part: QueuePart }
  | { readonly view: 'pull'; readonly ref: QueueRef; readonly pr: number }
  /** A path whose slashes are not encoded; the list of queues shows which part is which. */
  | { readonly view: 'unresolved'; readonly words: readonly string[] };

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The parts of a path below the base of the page. */
export const wordsOf = (path: string): readonly string[] =>
  path
    .split('/')
    .filter((word) => word !== '')
    .map(decoded);

/** The route of a path below the base of the page, read as `queuePath` and `pullPath` write it. */
export const routeOf = (path: string): Route => {
  const words = wordsOf(path);
  const [host, owner, name, branch, last, ...more] = words;
  if (host === undefined) return { view: 'queues' };
  if (owner === undefined || name === undefined || branch === undefined) return { view: 'unresolved', words };
  const ref = { repo: { host, owner, name }, targetBranch: branch };
  if (last === undefined) return { view: 'queue', ref, part: 'line' };
  return (more.length === 0 ? below(ref, last) : null) ?? { view: 'unresolved', words };
};

const below = (ref: QueueRef, last: string): Route | null => {
  if (last === 'settings' || last === 'history') return { view: 'queue', ref, part: last };
  return /^[1-9]\d{0,9}$/.test(last) ? { view: 'pull', ref, pr: Number(last) } : null;
};

/**
 * The path of a queue, or of a page below it, that was written without encoding the slashes of its owner or branch;
 * null if it does not begin with a queue. If several queues match, as with the branches `x` and `x/1`, the shortest
 * name counts, so that the last part stays a pull request.
 */
export const resolvedPath = (words: readonly string[], queues: readonly QueueRef[]): string | null => {
  const path = words.join('/');
  const found = queues
    .map((ref) => ({
      ref,
      start: [ref.repo.host, ref.repo.owner, ref.repo.name, ref.targetBranch].join('/'),
    }))
    .sort((one, other) => one.start.length - other.start.length);
  for (const { ref, start } of found) {
    if (path === start) return queuePath(ref);
    const route = path.startsWith(`${start}/`) ? below(ref, path.slice(start.length + 1)) : null;
    if (route?.view === 'queue') return queuePath(ref, route.part);
    if (route?.view === 'pull') return pullPath(ref, route.pr);
  }
  return null;
};

export const queuePath = ({ repo, targetBranch }: QueueRef, part: QueuePart = 'line'): string =>
  [repo.host, repo.owner, repo.name, targetBranch, ...(part === 'line' ? [] : [part])]
    .map(encodeURIComponent)
    .join('/');

export const pullPath = (ref: QueueRef, pr: number): string => `${queuePath(ref)}/${pr}`;
