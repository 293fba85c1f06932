import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { git } from '@mq/test-git';
import { type GiteaClient, giteaClient, type RunningGitea, removeGitea, startGitea } from './server.js';

export const TEAM = 'team';
const UNTIL_LIMIT_MS = 60_000;
export const PEOPLE = ['Ada', 'Dave'] as const;

/** A real Gitea on loopback with an organisation and people, and what tests do there. */
export interface Forge {
  readonly gitea: RunningGitea;
  readonly api: GiteaClient;
  /** Makes an empty repository of the team that allows manual marks. People may write to it. */
  repository(name: string): Promise<void>;
  /** Resolves when the answer holds. Gitea learns of a push a moment after it has accepted it. */
  until(path: string, holds: (answer: Readonly<Record<string, unknown>>) => boolean): Promise<void>;
  /** The bare repository on the disk of the Gitea, to look at. */
  bare(name: string): string;
  /** Pushes over HTTP, so that Gitea learns of it, as a person does. */
  push(from: string, name: string, ...specs: readonly string[]): Promise<void>;
  fetch(to: string, name: string, ...specs: readonly string[]): Promise<void>;
  end(): Promise<void>;
}

export const startForge = async (): Promise<Forge> => {
  const folder = await mkdtemp(join(tmpdir(), 'mq-gitea-'));
  const gitea = await startGitea({ folder });
  const api = giteaClient(gitea);
  for (const username of PEOPLE) {
    const email = `${username.toLowerCase()}@example.org`;
    await api('POST', '/admin/users', {
      ...{ username, email, password: `Long-enough-${username}-1`, must_change_password: false },
    });
  }
  await api('POST', '/orgs', { username: TEAM, visibility: 'public' });
  const bare = (name: string) => join(folder, 'repositories', TEAM, `${name}.git`);
  const remote = (name: string) => `${gitea.url}/${TEAM}/${name}.git`;
  const header = `http.extraHeader=Authorization: Basic ${Buffer.from(`mq:${gitea.token}`).toString('base64')}`;
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
      await git(to, '-c', header, 'fetch', '--quiet', '--force', '--update-head-ok', remote(name), ...specs);
    },
    end: async () => {
      await gitea.stop();
      await removeGitea(folder);
    },
  };
};
