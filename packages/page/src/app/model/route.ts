import type { QueueRef } from '../data/queue-view.js';

export type QueuePart = 'line' | 'settings' | 'history';

export type Route =
  | { readonly view: 'queues' }
  | { readonly view: 'queue'; readonly ref: QueueRef; readonly part: QueuePart }
  | { readonly view: 'pull'; readonly ref: QueueRef; readonly pr: number }
  /** A path whose slashes are not encoded; the list of queues tells which part is which. */
  | { readonly view: 'unresolved'; readonly words: readonly string[] };

const decoded = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
};

/** The route of a path below the base of the page. */
export const routeOf = (path: string): Route => {
  const words = path
    .split('/')
    .filter((word) => word !== '')
    .map(decoded);
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

/** The route of a path with slashes in its owner or branch; null if none of the queues is at its beginning. */
export const resolvedRoute = (words: readonly string[], queues: readonly QueueRef[]): Route | null => {
  const path = words.join('/');
  for (const ref of queues) {
    const { host, owner, name } = ref.repo;
    const start = `${host}/${owner}/${name}/${ref.targetBranch}`;
    if (path === start) return { view: 'queue', ref, part: 'line' };
    const route = path.startsWith(`${start}/`) ? below(ref, path.slice(start.length + 1)) : null;
    if (route !== null) return route;
  }
  return null;
};

export const queuePath = ({ repo, targetBranch }: QueueRef, part: QueuePart = 'line'): string =>
  [repo.host, repo.owner, repo.name, targetBranch, ...(part === 'line' ? [] : [part])]
    .map(encodeURIComponent)
    .join('/');

export const pullPath = (ref: QueueRef, pr: number): string => `${queuePath(ref)}/${pr}`;
