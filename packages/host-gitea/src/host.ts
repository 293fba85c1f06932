import { join } from 'node:path';
import {
  CANDIDATES_PER_READ,
  type Check,
  COMMITS_PER_READ,
  type CodeHost,
  type CommandHost,
  HostError,
  type HostEvent,
  type OpenDraftRequest,
  type PresenceHost,
  PULL_REQUESTS_PER_READ,
  type RepoRef,
  repoKey,
  type Sha,
} from '@mq/core';
import { branchFault, connectionsOfOneServer, type Mirror, openMirror } from '@mq/host-git';
import type { z } from 'zod';
import { type ApiOptions, basic, GiteaApi } from './api.js';
import { giteaCommands } from './commands.js';
import { closeDrafts, openDraft } from './drafts.js';
import { type ExaminedRepository, examine, type GiteaFinding, type WantedHook } from './examine.js';
import { land } from './land.js';
import type { UnmarkedPull } from './mark.js';
import { isOwnerServed } from './owners.js';
import { giteaPresence } from './presence.js';
import { Pulls } from './pulls.js';
import { repair } from './repair.js';
import { branchShape, type GiteaStatus, repositoryShape } from './shapes.js';
import { checksOf, readStatuses, withDrafts } from './statuses.js';

export interface GiteaHostOptions extends Pick<ApiOptions, 'token' | 'onCall'> {
  /** The address of the server: `https://git.example.com`. */
  readonly url: string;
  /** The folder for the mirrors of the repositories. Absolute. Several processes may share it. */
  readonly folder: string;
  /** The users and organisations whose repositories are served, ignoring letter case; all by default. */
  readonly owners?: readonly string[];
  /** Whether candidates get draft pull requests, for a CI that tests only those. False by default. */
  readonly drafts?: boolean;
  /** Called before each git command that connects to the server. */
  readonly onConnection?: () => void;
  /** Called for each pull request that landed but cannot be marked as merged. */
  readonly onUnmarked?: (fault: UnmarkedPull & { readonly repo: RepoRef }) => void;
}

export interface GiteaHost extends CodeHost {
  readonly presence: PresenceHost;
  readonly commands: CommandHost;
  onEvent(listener: (event: HostEvent) => void): () => void;
  /** Passes the hint of a received webhook to the listeners. */
  hint(event: HostEvent): void;
  /**
   * Examines the host, and what its repositories allow the token to do, without changes. `wantedHook`: null if the server
   * accepts no webhooks.
   */
  examine(
    repositories: readonly ExaminedRepository[],
    wantedHook: WantedHook | null,
  ): Promise<readonly GiteaFinding[]>;
  /** Repairs what `examine` calls repairable at a repository. Idempotent. */
  repair(repo: RepoRef, wantedHook: WantedHook | null): Promise<void>;
  /** Aborts all calls and git commands. Idempotent. */
  close(): Promise<void>;
}

/** A repository as the host spells it. */
interface Identified {
  readonly id: number;
  readonly format: z.output<typeof repositoryShape>['object_format_name'];
  readonly owner: string;
  readonly name: string;
  readonly isPublic: boolean;
}

interface Served {
  readonly id: number;
  readonly path: string;
  readonly mirror: Mirror;
  readonly pulls: Pulls;
  /** See `MarkingParts`. */
  readonly failingSince: Map<number, number>;
}

/** Gitea or Forgejo as a code host, by its HTTP API and by git over HTTP with a bare mirror of each repository. */
export const giteaHost = (options: GiteaHostOptions): GiteaHost => {
  const stopping = new AbortController();
  const url = options.url.replace(/\/+$/, '');
  const { token, onCall, onConnection } = options;
  const api = new GiteaApi({
    url,
    token,
    stop: stopping.signal,
    ...(onCall === undefined ? {} : { onCall }),
  });
  const connections = connectionsOfOneServer();
  const listeners = new Set<(event: HostEvent) => void>();
  const servedByName = new Map<string, Promise<Served | null>>();
  /** Keyed by id and name, so that a repository has only one mirror. */
  const opened = new Map<string, Promise<Served>>();
  const hint = (event: HostEvent): void => {
    for (const listener of listeners) listener(event);
  };

  /** Null if the host has no such repository or does not serve its owner. */
  const identify = async (repo: RepoRef): Promise<Identified | null> => {
    if (!isOwnerServed(options.owners, repo.owner)) return null;
    const path = pathOf(repo);
    const found = path === null ? null : await api.get(path, repositoryShape);
    if (found === null) return null;
    if (found.full_name.toLowerCase() !== `${repo.owner}/${repo.name}`.toLowerCase())
      throw new HostError(
        `${repo.owner}/${repo.name} is called ${found.full_name} at the host. Use that name.`,
        'never',
        null,
        { reach: 'repository' },
      );
    const [owner = repo.owner, name = repo.name] = found.full_name.split('/');
    const isPublic = !found.private && !found.internal;
    return { id: found.id, format: found.object_format_name, owner, name, isPublic };
  };

  const open = async (repo: RepoRef): Promise<Served | null> => {
    const found = await identify(repo);
    if (found === null) return null;
    if (!isMeant(repo, found)) throw replaced(repo, repo.id ?? '', found.id);
    const key = `${found.id} ${found.owner}/${found.name}`;
    const opening = opened.get(key) ?? openWith(repo, found);
    opened.set(key, opening);
    opening.catch(() => opened.delete(key));
    return opening;
  };

  const openWith = async (repo: RepoRef, found: Identified): Promise<Served> => {
    const path = `/repos/${found.owner}/${found.name}`;
    const mirror = await openMirror({
      path: join(options.folder, `${found.id}.git`),
      format: found.format,
      url: `${url}/${found.owner}/${found.name}.git`,
      settings: async () => ({ 'http.extraHeader': `Authorization: Basic ${basic(await token())}` }),
      stop: stopping.signal,
      connections,
      learnt: () => hint({ repo, what: 'pull_requests' }),
      ...(onConnection === undefined ? {} : { onConnection }),
    });
    return { id: found.id, path, mirror, pulls: new Pulls(api, path, mirror), failingSince: new Map() };
  };

  const served = async (repo: RepoRef): Promise<Served> => {
    // A name that was given to another repository is opened once more, for queues that were created since.
    const key = [repoKey(repo), repo.id ?? ''].join('\n');
    const opening = servedByName.get(key) ?? open(repo);
    servedByName.set(key, opening);
    const found = await opening.catch(() => null);
    if (found !== null) return found;
    if (servedByName.get(key) === opening) servedByName.delete(key);
    await opening;
    throw gone(repo);
  };

  /** Throws if the name now belongs to another repository: after deletion and re-creation, or a transfer. */
  const sameStill = async (repo: RepoRef, { id }: Served): Promise<void> => {
    const now = await identify(repo);
    if (now === null) throw gone(repo);
    if (now.id !== id) throw replaced(repo, String(id), now.id);
  };

  const pathTo = async (repo: RepoRef) => (await served(repo)).path;
  const presence = giteaPresence({ api, token, pathOf: pathTo });
  const { drafts: hasDrafts = false } = options;
  const shownChecks = (statuses: readonly GiteaStatus[]): readonly Check[] =>
    hasDrafts ? withDrafts(checksOf(statuses)) : checksOf(statuses);
  const draftParts = async (repo: RepoRef) => {
    const { path, mirror } = await served(repo);
    return { api, path, mirror, ownAccount: () => presence.ownAccount(repo) };
  };
  const endDrafts = async ({ repo, runId }: Pick<OpenDraftRequest, 'repo' | 'runId'>): Promise<void> => {
    if (hasDrafts) await closeDrafts(await draftParts(repo), runId);
  };

  return {
    presence,
    commands: giteaCommands({ api, pathOf: pathTo }, presence),
    hasRepository: async (repo) => {
      const found = await identify(repo);
      return found !== null && isMeant(repo, found);
    },
    identify: async (repo) => {
      const found = await identify(repo);
      if (found === null) return null;
      const { id, owner, name, isPublic } = found;
      return { id: String(id), owner, name, isPublic };
    },
    ignoresCase: true,
    getBranch: async (repo, branch, { isUrgent = false } = {}) => {
      const at = await served(repo);
      if (branchFault(branch) !== null) return null;
      const path = `${at.path}/branches/${encodeURIComponent(branch)}`;
      const found = await api.get(path, branchShape, { isUrgent });
      if (found === null) {
        await sameStill(repo, at);
        // The host answers from its database, which is updated a moment after git.
        if ((await at.mirror.tip(branch)) !== null)
          throw new HostError(`The host does not show the branch ${branch} yet.`, 'later');
        return null;
      }
      const { commit, enable_status_check: isRequired, status_check_contexts: contexts } = found;
      return {
        head: commit.id,
        requiredChecks: isRequired && contexts.length > 0 ? [...new Set(contexts)] : null,
      };
    },
    contains: async (repo, head, commit) => (await served(repo)).mirror.contains(head, commit),
    getPullRequests: async (repo, numbers, { merging = null, isUrgent = false } = {}) => {
      refuseMore('pull requests', numbers.length, PULL_REQUESTS_PER_READ);
      const at = await served(repo);
      if (numbers.length === 0) return [];
      const found = await at.pulls.read(numbers, isUrgent);
      const foreign = found.some((each) => !('unreadable' in each) && each.base.repo_id !== at.id);
      if (foreign || found.length === 0) await sameStill(repo, at);
      return at.pulls.answers(found, merging, isUrgent);
    },
    findPullRequest: async (repo, headBranch) => {
      const { pulls } = await served(repo);
      return branchFault(headBranch) === null ? pulls.findByBranch(headBranch) : null;
    },
    buildCandidate: async (request) => (await served(request.repo)).mirror.build(request),
    getChecks: async (repo, commits) => {
      refuseMore('commits', commits.length, COMMITS_PER_READ);
      const { path } = await served(repo);
      const read = async (commit: Sha): Promise<[Sha, readonly Check[]]> => [
        commit,
        shownChecks(await readStatuses(api, path, commit)),
      ];
      return new Map(await Promise.all([...new Set(commits)].map(read)));
    },
    land: async (request) => {
      const at = await served(request.repo);
      const onUnmarked = (fault: UnmarkedPull) => options.onUnmarked?.({ ...fault, repo: request.repo });
      const outcome = await land({ ...at, api, onUnmarked }, request);
      if (outcome.kind === 'landed')
        for (const what of ['branch', 'pull_requests'] as const) hint({ repo: request.repo, what });
      // The outcome does not depend on drafts, and the host closes one itself when it notices that its branch is gone.
      await endDrafts(request).catch(() => undefined);
      return outcome;
    },
    dropCandidate: async (request) => {
      await (await served(request.repo)).mirror.drop(request.runId);
      await endDrafts(request);
    },
    ...(hasDrafts
      ? { openDraft: async (request) => openDraft(await draftParts(request.repo), request) }
      : {}),
    listCandidates: async (repo) =>
      (await (await served(repo)).mirror.candidates()).slice(0, CANDIDATES_PER_READ),
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    hint,
    examine: (repositories, wantedHook) => examine({ api, now: Date.now, wantedHook }, repositories),
    repair: (repo, wantedHook) => repair(api, repo, wantedHook),
    close: async () => {
      listeners.clear();
      stopping.abort();
      await connections.onIdle();
    },
  };
};

const nameShape = /^[A-Za-z0-9_.-]{1,100}$/;

/** The API path of a repository; null for names that are impossible on such a server. */
const pathOf = ({ owner, name }: RepoRef): string | null =>
  [owner, name].every((part) => nameShape.test(part) && part !== '.' && part !== '..')
    ? `/repos/${owner}/${name}`
    : null;

const gone = (repo: RepoRef): HostError =>
  new HostError(
    `The host has no repository ${repo.owner}/${repo.name}, or the token may not see it.`,
    'never',
    null,
    {
      reach: 'repository',
    },
  );

/** Whether it is the repository that was asked for, by its id if that is known. */
const isMeant = ({ id }: RepoRef, found: Identified): boolean => id === undefined || id === String(found.id);

const replaced = ({ owner, name }: RepoRef, id: string, now: number): HostError =>
  new HostError(
    `${owner}/${name} is now a different repository (id ${now}, not ${id}). Delete its queues, and create them again.`,
    'never',
    null,
    { reach: 'repository' },
  );

const refuseMore = (what: string, count: number, limit: number): void => {
  if (count > limit)
    throw new HostError(`At most ${limit} ${what} per read; ${count} were requested.`, 'never');
};
