import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Repo {
  readonly host: string;
  readonly owner: string;
  readonly name: string;
}

const NAME = /^[^\s/\\:]{1,200}$/;

const named = (host: string, path: string): Repo | null => {
  const parts = path
    .replace(/\/+$/, '')
    .replace(/\.git$/, '')
    .split('/')
    .filter((part) => part !== '');
  const name = parts.pop();
  if (name === undefined || parts.length === 0 || !parts.every((part) => NAME.test(part)) || !NAME.test(name))
    return null;
  return { host: host.toLowerCase(), owner: parts.join('/'), name };
};

/** The folder of a remote that is a repository on this machine; null for others. `base` resolves a relative one. */
export const folderOf = (url: string, base: string): string | null => {
  if (url === '') return null;
  if (/^file:/i.test(url)) {
    try {
      return fileURLToPath(url);
    } catch {
      return null;
    }
  }
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(url) || (!isAbsolute(url) && /^[^/]+:/.test(url))) return null;
  return resolve(base, url);
};

/**
 * The repository that the address of a remote names, as servers name it; null if it names none. A folder belongs to
 * the host `local`; the path behind `repos/` is owner and name.
 */
export const repoOfRemote = (url: string, base: string): Repo | null => {
  const folder = folderOf(url, base);
  if (folder !== null) {
    const plainPath = folder.replaceAll('\\', '/');
    const [, inRepos] = /\/repos\/(.+)$/.exec(plainPath) ?? [];
    const path = inRepos ?? `${basename(dirname(plainPath))}/${basename(plainPath)}`;
    return named('local', path);
  }
  if (URL.canParse(url) && url.includes('://')) {
    const { hostname, pathname } = new URL(url);
    return named(hostname, decoded(pathname));
  }
  const [, host = '', path = ''] = /^(?:[^@/]+@)?([^:/]+):(.+)$/.exec(url) ?? [];
  return host === '' ? null : named(host, path);
};

const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
};

/** "host/owner/name", or "owner/name" with the host of the guess; null if it is neither. */
export const repoIn = (text: string, guess: Repo | null): Repo | null => {
  const parts = text.split('/');
  if (!parts.every((part) => NAME.test(part))) return null;
  if (parts.length === 2)
    return { host: guess?.host ?? 'local', owner: parts[0] ?? '', name: parts[1] ?? '' };
  if (parts.length < 3) return null;
  return { host: parts[0] ?? '', owner: parts.slice(1, -1).join('/'), name: parts.at(-1) ?? '' };
};
