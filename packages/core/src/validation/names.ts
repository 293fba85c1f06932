import { isSameRepo, type RepoRef } from '../model/repo.js';

/** A whole host, an owner at it with all repositories of that owner, or one repository. */
export interface RepoScope {
  readonly host: string;
  readonly owner?: string;
  readonly name?: string;
}

/** Another name: whoever asks for what `alias` names means `of`. Both name the same: two hosts, owners or repositories. */
export interface RepoAlias {
  readonly alias: RepoScope;
  readonly of: RepoScope;
}

/** One text per scope, in lower case: names of hosts, and of what is known under an alias, count in any letter case. */
const keyOf = ({ host, owner, name }: RepoScope): string =>
  [host, owner, name]
    .filter((part) => part !== undefined)
    .join('\n')
    .toLowerCase();

/** `github.com/acme/widgets`. */
const shown = ({ host, owner, name }: RepoScope): string =>
  [host, owner, name].filter((part) => part !== undefined).join('/');

const depthOf = ({ owner, name }: RepoScope): number =>
  Number(owner !== undefined) + Number(name !== undefined);

/** The canonical names of repositories. Queues, and what tokens are limited to, are kept and compared by these. */
export class Names {
  readonly #hosts: ReadonlyMap<string, string>;
  readonly #aliases: ReadonlyMap<string, RepoScope>;

  /** Throws a TypeError where two hosts, or two aliases, claim one name. */
  constructor(hosts: readonly string[], aliases: readonly RepoAlias[] = []) {
    const fault = namesFault(hosts, aliases);
    if (fault !== null) throw new TypeError(fault);
    this.#hosts = new Map(hosts.map((host) => [host.toLowerCase(), host]));
    this.#aliases = new Map(aliases.map(({ alias, of }) => [keyOf(alias), of]));
  }

  /** The name under which a repository is kept. The name itself where nothing else is known. */
  canonical(repo: RepoRef): RepoRef {
    const { owner, name } = repo;
    const host = this.#hosts.get(repo.host.toLowerCase());
    const meant = this.#aliases.get(keyOf({ host: repo.host, owner, name })) ??
      this.#aliases.get(keyOf({ host: repo.host, owner })) ??
      this.#aliases.get(keyOf({ host: repo.host })) ?? { host: host ?? repo.host };
    const canonical = { host: meant.host, owner: meant.owner ?? owner, name: meant.name ?? name };
    return isSameRepo(canonical, repo) ? repo : canonical;
  }
}

/** Why these names cannot be told apart, or lead nowhere; null where they are fine. */
export const namesFault = (hosts: readonly string[], aliases: readonly RepoAlias[]): string | null => {
  const claimed = new Map<string, string>();
  for (const host of hosts) {
    const key = host.toLowerCase();
    if (claimed.has(key)) return `Two code hosts claim the name ${host}.`;
    claimed.set(key, host);
  }
  for (const { alias, of } of aliases) {
    if (claimed.has(keyOf(alias))) return `The name ${shown(alias)} is claimed twice.`;
    if (hosts.some((host) => host.toLowerCase() === alias.host.toLowerCase()))
      return `The alias ${shown(alias)} would hide a repository of the code host ${alias.host}.`;
    if (!hosts.includes(of.host))
      return `The alias ${shown(alias)} stands for a code host that there is none of: ${of.host}.`;
    if (depthOf(alias) !== depthOf(of)) return `The alias ${shown(alias)} cannot stand for ${shown(of)}.`;
    if (depthOf(alias) === 0 && hosts.length > 1)
      return `The alias ${alias.host} names a whole host: that needs exactly one code host.`;
    claimed.set(keyOf(alias), shown(of));
  }
  return null;
};

/** The same operations, asked by any name of a repository. */
export const byAnyName = <Operations extends object>(operations: Operations, names: Names): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]: [string, (request: unknown) => unknown]) => [
      name,
      (request: unknown) => operation(withCanonicalRepo(request, names)),
    ]),
  ) as Operations;

/** What is no valid request is left as it is: the operation refuses it. */
const withCanonicalRepo = (request: unknown, names: Names): unknown => {
  if (typeof request !== 'object' || request === null || !('repo' in request)) return request;
  const { repo } = request;
  if (!isRepo(repo)) return request;
  const canonical = names.canonical(repo);
  return canonical === repo ? request : { ...request, repo: canonical };
};

const isRepo = (value: unknown): value is RepoRef =>
  typeof value === 'object' &&
  value !== null &&
  ['host', 'owner', 'name'].every((part) => typeof Reflect.get(value, part) === 'string');
