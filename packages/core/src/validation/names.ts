import { isSameRepo, type RepoRef } from '../model/repo.js';

/** A whole host, all repositories of one owner, or one repository. */
export interface RepoScope {
  readonly host: string;
  readonly owner?: string;
  readonly name?: string;
}

/** Another name: requests for `alias` mean `of`. Both are of the same kind: hosts, owners or repositories. */
export interface RepoAlias {
  readonly alias: RepoScope;
  readonly of: RepoScope;
}

/** A key per scope, in lower case: hosts and aliases are matched in any letter case. */
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

/**
 * The canonical names of repositories. Queues and scopes of tokens are stored and compared by these, in any letter case where
 * the host ignores it.
 */
export class Names {
  readonly #hosts: ReadonlyMap<string, string>;
  readonly #aliases: ReadonlyMap<string, RepoScope>;

  /**
   * `ignoringCase`: the hosts whose repositories have one name in any letter case. Throws a TypeError if two hosts or aliases
   * have the same name.
   */
  constructor(
    hosts: readonly string[],
    aliases: readonly RepoAlias[] = [],
    private readonly ignoringCase: ReadonlySet<string> = new Set(),
  ) {
    const fault = namesFault(hosts, aliases);
    if (fault !== null) throw new TypeError(fault);
    this.#hosts = new Map(hosts.map((host) => [host.toLowerCase(), host]));
    this.#aliases = new Map(aliases.map(({ alias, of }) => [keyOf(alias), of]));
  }

  /** The name under which a repository is stored. The given name if there is no alias. */
  canonical(repo: RepoRef): RepoRef {
    const { owner, name } = repo;
    const host = this.#hosts.get(repo.host.toLowerCase());
    const meant = this.#aliases.get(keyOf({ host: repo.host, owner, name })) ??
      this.#aliases.get(keyOf({ host: repo.host, owner })) ??
      this.#aliases.get(keyOf({ host: repo.host })) ?? { host: host ?? repo.host };
    const parts = { host: meant.host, owner: meant.owner ?? owner, name: meant.name ?? name };
    const canonical: RepoRef = this.ignoringCase.has(meant.host) ? { ...parts, ignoresCase: true } : parts;
    const isGiven = canonical.ignoresCase === repo.ignoresCase && isSameRepo(canonical, repo);
    return isGiven ? repo : canonical;
  }
}

/** Why these names are ambiguous or invalid; null if they are fine. */
export const namesFault = (hosts: readonly string[], aliases: readonly RepoAlias[]): string | null => {
  const claimed = new Map<string, string>();
  for (const host of hosts) {
    const key = host.toLowerCase();
    if (claimed.has(key)) return `Two code hosts have the name ${host}.`;
    claimed.set(key, host);
  }
  for (const { alias, of } of aliases) {
    if (claimed.has(keyOf(alias))) return `The name ${shown(alias)} is used twice.`;
    if (hosts.some((host) => host.toLowerCase() === alias.host.toLowerCase()))
      return `The alias ${shown(alias)} would hide a repository of the code host ${alias.host}.`;
    if (!hosts.includes(of.host))
      return `The alias ${shown(alias)} stands for a code host that is not configured: ${of.host}.`;
    if (depthOf(alias) !== depthOf(of)) return `The alias ${shown(alias)} cannot stand for ${shown(of)}.`;
    if (depthOf(alias) === 0 && hosts.length > 1)
      return `The alias ${alias.host} names a whole host: that needs exactly one code host.`;
    claimed.set(keyOf(alias), shown(of));
  }
  return null;
};

/** The same operations, accepting any name of a repository. */
export const byAnyName = <Operations extends object>(operations: Operations, names: Names): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]: [string, (request: unknown) => unknown]) => [
      name,
      (request: unknown) => operation(withCanonicalRepo(request, names)),
    ]),
  ) as Operations;

// Invalid requests are passed on unchanged: the operation refuses them.
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
