import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSecret } from '@mq/secret-watch';
import { git } from '@mq/test-git';
import { type GiteaClient, giteaClient, type RunningGitea, removeGitea, startGitea } from './server.js';

export const TEAM = 'team';
const UNTIL_LIMIT_MS = 60_000;
export const PEOPLE = ['Ada', 'Dave'] as const;

/** A real Gitea on loopback with an organisation and people, and what tests do there. */
export interface Forge {
  readonly gitea: GiteaPlace;
  readonly api: GiteaClient;
  /** Creates an empty repository of the team, which allows manual marks. People may write to it. */
  repository(name: string): Promise<void>;
  /** Resolves when the answer holds. Gitea learns of a push a moment after it has accepted it. */
  until(path: string, holds: (answer: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
  /** The bare repository on the disk of the Gitea, to look at. */
  bare(name: string): string;
  /** Pushes over HTTP, so that Gitea learns of it, as a person does. */
  push(from: string, name: string, ...specs: readonly string[]): Promise<void>;
  /** Fetches from the disk of the Gitea: an HTTP request would only cost time. */
  fetch(to: string, name: string, ...specs: readonly string[]): Promise<void>;
  /** Creates a token for a user of `person`. */
  issueToken(username: string, scopes: readonly string[]): Promise<IssuedToken>;
  /** Creates a user without any rights. */
  person(username: string): Promise<void>;
}

export interface IssuedToken {
  readonly token: string;
  revoke(): Promise<void>;
}

const passwordOf = (username: string): string => `Long-enough-${username}-1`;

/** Where a Gitea runs, also one that another process has started. */
export type GiteaPlace = Pick<RunningGitea, 'url' | 'token' | 'folder'>;

/** A Gitea of this process. */
export interface OwnForge extends Forge {
  readonly gitea: RunningGitea;
  end(): Promise<void>;
}

/** Starts a Gitea with the organisation and the people. */
export const startForge = async (): Promise<OwnForge> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-gitea-'));
  const gitea = await startGitea({ folder });
  const forge = forgeAt(gitea);
  for (const each of PEOPLE) await forge.person(each);
  await forge.api('POST', '/orgs', { username: TEAM, visibility: 'public' });
  return {
    ...forge,
    gitea,
    end: async () => {
      await gitea.stop();
      await removeGitea(folder);
    },
  };
};

/** What tests do on a Gitea that `startForge` has started, also in another process. */
export const forgeAt = (gitea: GiteaPlace): Forge => {
  const { folder } = gitea;
  const api = giteaClient(gitea);
  const person = async (username: string): Promise<void> => {
    const email = `${username.toLowerCase()}@example.org`;
    await api('POST', '/admin/users', {
      ...{ username, email, password: passwordOf(username), must_change_password: false },
    });
  };
  let tokens = 0;
  const bare = (name: string) => join(folder, 'repositories', TEAM, `${name}.git`);
  const remote = (name: string) => `${gitea.url}/${TEAM}/${name}.git`;
  const credentials = Buffer.from(`mq:${gitea.token}`).toString('base64');
  for (const secret of [gitea.token, credentials]) isSecret(secret);
  const header = `http.extraHeader=Authorization: Basic ${credentials}`;
  return {
    gitea,
    api,
    repository: async (name) => {
      await api('POST', `/orgs/${TEAM}/repos`, { name, default_branch: 'main' });
      await api('PATCH', `/repos/${TEAM}/${name}`, { has_pull_requests: true, allow_manual_merge: true });
      for (const person of PEOPLE)
        await api('PUT', `/repos/${TEAM}/${name}/collaborators/${person}`, { permission: 'write' });
      await git(bare(name), 'config', 'core.logAllRefUpdates', 'true');
    },
    until: async (path, holds) => {
      const end = Date.now() + UNTIL_LIMIT_MS;
      while (!holds(await api('GET', path, undefined, { statuses: [404, 500] }))) {
        if (Date.now() > end) throw new Error(`Gitea never answered ${path} as it was to.`);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    bare,
    push: async (from, name, ...specs) => {
      await git(from, '-c', header, 'push', '--quiet', '--force', remote(name), ...specs);
    },
    fetch: async (to, name, ...specs) => {
      await git(to, 'fetch', '--quiet', '--force', '--update-head-ok', bare(name), ...specs);
    },
    person,
    issueToken: async (username, scopes) => {
      tokens += 1;
      const name = `token-${process.pid}-${tokens}`;
      // Gitea issues and revokes tokens by password only.
      const ask = async (method: string, path: string, body?: object) => {
        const credentials = Buffer.from(`${username}:${passwordOf(username)}`).toString('base64');
        const answer = await fetch(`${gitea.url}/api/v1/users/${username}/tokens${path}`, {
          method,
          headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        if (!answer.ok) throw new Error(`${method} of a token: ${answer.status} ${await answer.text()}`);
        return answer;
      };
      const made = (await (await ask('POST', '', { name, scopes })).json()) as { readonly sha1: string };
      isSecret(made.sha1);
      return { token: made.sha1, revoke: async () => void (await ask('DELETE', `/${name}`)) };
    },
  };
};
