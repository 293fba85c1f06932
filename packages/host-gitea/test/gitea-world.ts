import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CodeHost, RepoRef, Sha, StartChecksRequest } from '@mq/core';
import { corrupt, damageTree, git, loggedFrom, makePlace } from '@mq/test-git';
import { type Forge, PEOPLE, TEAM } from '@mq/test-gitea';
import type { HostWorld } from '@mq/testkit';
import { type GiteaHost, type GiteaHostOptions, giteaHost } from '../src/index.js';

let worlds = 0;

export interface GiteaWorld extends HostWorld {
  /** `/repos/{owner}/{name}` of the API. */
  readonly path: string;
  readonly gitea: GiteaHost;
}

/** A repository on a real Gitea as the conformance suite asks for it: people push over HTTP and use the API. */
export const giteaWorld = async (
  forge: Forge,
  options: Partial<GiteaHostOptions> = {},
): Promise<GiteaWorld> => {
  worlds += 1;
  const name = `app-${process.pid}-${worlds}`;
  const repo: RepoRef = { host: 'gitea', owner: TEAM, name };
  const path = `/repos/${TEAM}/${name}`;
  const { api } = forge;
  await forge.repository(name);
  const bare = forge.bare(name);
  const place = await makePlace();
  const mirrors = await mkdtemp(join(tmpdir(), 'mq-mirrors-'));
  const host = giteaHost({
    ...{ url: forge.gitea.url, token: () => forge.gitea.token, folder: mirrors },
    ...options,
  });
  const send = (...specs: readonly string[]) => forge.push(place.bare, name, ...specs);
  await send('refs/heads/main:refs/heads/main');
  await forge.until(path, ({ empty }) => empty === false);
  const branches = new Map<number, string>();
  let [opened, made] = [0, 0];
  const filesAt = async (commit: Sha): Promise<Readonly<Record<string, string>>> => {
    const paths = (await git(bare, 'ls-tree', '-r', '-z', '--name-only', commit)).split('\0').filter(Boolean);
    const files: Record<string, string> = {};
    for (const each of paths) files[each] = await git(bare, 'cat-file', 'blob', `${commit}:${each}`);
    return files;
  };
  const ci = outsideCi(forge, path, filesAt);
  return {
    host: { ...host, startChecks: ci.startChecks } satisfies CodeHost,
    gitea: host,
    repo,
    path,
    branch: 'main',
    closesWithBranch: true,
    ...(options.drafts === true ? { openDrafts: () => openDraftsAt(forge, path) } : {}),
    damageStopsPushes: true,
    push: async (files) => {
      await forge.fetch(place.bare, name, 'refs/heads/main:refs/heads/main');
      const sha = await place.commit('main', files);
      await send('refs/heads/main:refs/heads/main');
      return sha;
    },
    rewind: async (to) => {
      await forge.fetch(place.bare, name, 'refs/heads/main:refs/heads/main');
      await send(`${to}:refs/heads/main`);
    },
    branchOff: async (branch) => {
      await forge.fetch(place.bare, name, `refs/heads/main:refs/heads/${branch}`);
      await send(`refs/heads/${branch}:refs/heads/${branch}`);
      await forge.until(`${path}/branches/${branch}`, (answer) => answer.name === branch);
    },
    commit: async (commit) => {
      await forge.fetch(place.bare, name, 'refs/heads/main:refs/heads/main');
      const sha = await place.make(commit);
      made += 1;
      await send(`${sha}:refs/heads/made/${made}`);
      return sha;
    },
    commitAt: async (commit) => {
      const [logged] = await loggedFrom(bare, '--max-count=1', commit);
      if (logged === undefined) throw new Error(`There is no commit ${commit}.`);
      return logged;
    },
    open: async ({ files = {}, commits = [], head, title, body, author, draft = false, base = 'main' }) => {
      opened += 1;
      const branch = `change/${opened}`;
      const from = base === 'main' || base === 'next' ? base : 'main';
      await forge.fetch(place.bare, name, `refs/heads/${from}:refs/heads/${from}`);
      if (head === undefined) await place.commit(branch, files, from);
      for (const more of commits) await place.commit(branch, more);
      await send(`${head ?? `refs/heads/${branch}`}:refs/heads/${branch}`);
      const asked = {
        head: branch,
        base,
        title: `${draft ? 'WIP: ' : ''}${title ?? `Change ${opened}`}`,
        body,
      };
      const as = PEOPLE.find((person) => person === author);
      const { number } = await api('POST', `${path}/pulls`, asked, as === undefined ? {} : { as });
      branches.set(Number(number), branch);
      return Number(number);
    },
    update: async (pr, { files, title, body, draft, base, state, deleteBranch, deleted }) => {
      const branch = branches.get(pr) ?? '';
      if (files !== undefined) {
        await place.commit(branch, files);
        await send(`refs/heads/${branch}:refs/heads/${branch}`);
      }
      if (deleteBranch === true) {
        await send(`:refs/heads/${branch}`);
        await forge.until(`${path}/pulls/${pr}`, (pull) => pull.state === 'closed');
      }
      if (deleted === true) return void (await api('DELETE', `${path}/issues/${pr}`));
      const now = await api('GET', `${path}/pulls/${pr}`);
      const plain = title ?? String(now.title).replace(/^WIP: /, '');
      const isDraft = draft ?? now.draft;
      if (title !== undefined || draft !== undefined || body !== undefined || base !== undefined)
        await api('PATCH', `${path}/pulls/${pr}`, { title: `${isDraft ? 'WIP: ' : ''}${plain}`, body, base });
      if (state !== undefined) await api('PATCH', `${path}/pulls/${pr}`, { state });
    },
    damage: async (pr, how) => {
      const branch = branches.get(pr) ?? '';
      if (how !== 'unreadable') return damageTree(bare, branch, how);
      const head = await place.commit(branch, { 'more.txt': `more of ${pr}\n` });
      await send(`refs/heads/${branch}:refs/heads/${branch}`);
      await corrupt(bare, head);
    },
    setChecks: async (checks) => {
      ci.configure(checks);
      await api('POST', `${path}/branch_protections`, {
        ...{ rule_name: 'main', enable_push: true, enable_status_check: true },
        status_check_contexts: checks.map((check) => check.name),
      });
    },
    filesAt,
    log: (branch = 'main') => loggedFrom(bare, '--first-parent', `refs/heads/${branch}`),
    moves: async () => {
      const lines = (await git(bare, 'reflog', 'show', '--format=%H', 'refs/heads/main')).split('\n');
      return lines.filter(Boolean).reverse() as Sha[];
    },
    checksSettled: () => ci.settled(),
    close: async () => {
      await host.close();
      await place.end();
      await rm(mirrors, { recursive: true, force: true });
    },
  };
};

const openDraftsAt = async ({ api }: Forge, path: string) => {
  const pulls = (await api('GET', `${path}/pulls?state=open`)) as unknown as readonly {
    readonly draft: boolean;
    readonly title: string;
    readonly base: { readonly ref: string };
    readonly head: { readonly label: string };
  }[];
  return pulls
    .filter(({ draft, head }) => draft && head.label.startsWith('mq/'))
    .map(({ title, base }) => ({ branch: base.ref, title: title.replace(/^WIP: /, '') }));
};

/** A CI that is not part of the host: it tests a commit when it is asked to, and sets commit statuses. */
const outsideCi = (
  { api }: Forge,
  path: string,
  filesAt: (commit: Sha) => Promise<Readonly<Record<string, string>>>,
) => {
  const configured = new Map<string, string>();
  const ended = new Map<string, 'success' | 'failure' | 'error'>();
  let line: Promise<unknown> = Promise.resolve();
  const post = (commit: Sha, context: string, state: string) =>
    api('POST', `${path}/statuses/${commit}`, { context, state, description: `${context} ${state}` });
  const one = async (runId: string, commit: Sha, name: string) => {
    const key = `${runId} ${commit} ${name}`;
    if (ended.get(key) === 'success') return;
    await post(commit, name, 'pending');
    const failsWhen = configured.get(name);
    const contents = Object.values(await filesAt(commit));
    const fails = failsWhen !== undefined && contents.some((content) => content.includes(failsWhen));
    const end = failsWhen === undefined ? 'error' : fails ? 'failure' : 'success';
    await post(commit, name, end);
    ended.set(key, end);
  };
  return {
    configure: (checks: readonly { readonly name: string; readonly failsWhen: string }[]) => {
      for (const { name, failsWhen } of checks) configured.set(name, failsWhen);
    },
    startChecks: async ({ runId, commit, names }: StartChecksRequest) => {
      for (const name of names) line = line.then(() => one(runId, commit, name));
      await line;
    },
    settled: async () => void (await line),
  };
};
