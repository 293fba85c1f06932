import type { RepoRef, Sha } from '@mq/core';
import {
  corrupt,
  damageTree,
  git,
  loggedFrom,
  makePlace,
  NAME,
  OWNER,
  type Place,
  quoted,
} from '@mq/test-git';
import type { HostWorld } from '@mq/testkit';
import { type GitHost, type GitHostOptions, gitHost, runCommand } from '../src/index.js';

export const repo: RepoRef = { host: 'local', owner: OWNER, name: NAME };

export interface GitWorld extends HostWorld {
  readonly host: GitHost;
  readonly place: Place;
  configure(name: string, command: string, timeoutSeconds?: number): Promise<void>;
}

/** Runs the documented command as a person would. */
export const mqPr = async (bare: string, ...args: readonly string[]): Promise<unknown> => {
  const said: string[] = [];
  const say = (text: string) => said.push(text);
  const code = await runCommand([...args, '--repo', bare, '--json'], { out: say, err: say });
  const answer: unknown = JSON.parse(said.join('\n'));
  if (code !== 0) throw Object.assign(new Error(`mq-pr ${args.join(' ')}: ${said.join('\n')}`), answer);
  return answer;
};

/** Opens a pull request of a branch on `main` with the documented command, and returns its number. */
export const openAt = async (bare: string, branch: string): Promise<number> => {
  const opened = await mqPr(bare, 'open', `--head=${branch}`, '--base=main');
  return (opened as { readonly number: number }).number;
};

/** The git host for the conformance suite: people use plain git and `mq-pr`, and commands are real processes. */
export const gitWorld = async (options: Partial<GitHostOptions> = {}): Promise<GitWorld> => {
  const place = await makePlace();
  const { bare } = place;
  // By default, a bare repository keeps no reflog.
  await git(bare, 'config', 'core.logAllRefUpdates', 'true');
  const host = gitHost({ repositories: { root: place.root }, concurrency: 2, killGraceMs: 500, ...options });
  const branches = new Map<number, string>();
  let opened = 0;
  const configure = async (name: string, command: string, timeoutSeconds?: number) => {
    await git(bare, 'config', `mq.check.${name}.command`, command);
    if (timeoutSeconds !== undefined)
      await git(bare, 'config', `mq.check.${name}.timeoutSeconds`, String(timeoutSeconds));
  };
  return {
    host,
    repo,
    place,
    configure,
    branch: 'main',
    push: (files) => place.commit('main', files),
    rewind: async (to) => {
      await git(bare, 'update-ref', 'refs/heads/main', to);
    },
    branchOff: async (name) => {
      await git(bare, 'update-ref', `refs/heads/${name}`, await place.tip('main'));
    },
    pointAlias: async (name, ref) => {
      await git(bare, 'symbolic-ref', `refs/heads/${name}`, ref);
    },
    commit: (commit) => place.make(commit),
    commitAt: async (commit) => {
      const [logged] = await loggedFrom(bare, '--max-count=1', commit);
      if (logged === undefined) throw new Error(`There is no commit ${commit}.`);
      return logged;
    },
    open: async ({ files = {}, commits = [], head, title, body, author, draft = false, base = 'main' }) => {
      opened += 1;
      const branch = `change/${opened}`;
      if (head === undefined) await place.commit(branch, files, base);
      else await git(bare, 'update-ref', `refs/heads/${branch}`, head);
      for (const more of commits) await place.commit(branch, more);
      const given = { title, body, author };
      const texts = Object.entries(given).flatMap(([name, text]) =>
        text === undefined ? [] : `--${name}=${text}`,
      );
      const args = ['--head', branch, '--base', base, ...texts, ...(draft ? ['--draft'] : [])];
      const { number } = (await mqPr(bare, 'open', ...args)) as { readonly number: number };
      branches.set(number, branch);
      return number;
    },
    update: async (pr, { files, title, body, draft, base, state, deleteBranch, deleted }) => {
      const branch = branches.get(pr) ?? '';
      if (files !== undefined) await place.commit(branch, files);
      if (deleteBranch === true) await git(bare, 'update-ref', '-d', `refs/heads/${branch}`);
      if (deleted === true)
        for (const what of ['meta', 'head', 'merged'])
          await git(bare, 'update-ref', '-d', `refs/mq/pulls/${pr}/${what}`);
      const texts = Object.entries({ title, body, base }).flatMap(([name, text]) =>
        text === undefined ? [] : `--${name}=${text}`,
      );
      if (texts.length > 0) await mqPr(bare, 'edit', String(pr), ...texts);
      if (draft !== undefined) await mqPr(bare, draft ? 'draft' : 'ready', String(pr));
      if (state !== undefined) await mqPr(bare, state === 'open' ? 'reopen' : 'close', String(pr));
    },
    damage: async (pr, how) => {
      const branch = branches.get(pr) ?? '';
      if (how !== 'unreadable') return damageTree(bare, branch, how);
      const head = await place.commit(branch, { 'more.txt': `more of ${pr}\n` });
      await corrupt(bare, head);
    },
    setChecks: async (checks) => {
      for (const { name, failsWhen } of checks)
        await configure(name, `! grep -rqF -e ${quoted(failsWhen)} .`);
    },
    filesAt: async (commit) => {
      const names = (await git(bare, 'ls-tree', '-r', '-z', '--name-only', commit))
        .split('\0')
        .filter(Boolean);
      const files: Record<string, string> = {};
      for (const name of names) files[name] = await git(bare, 'cat-file', 'blob', `${commit}:${name}`);
      return files;
    },
    log: (branch = 'main') => loggedFrom(bare, '--first-parent', `refs/heads/${branch}`),
    moves: async () => {
      const lines = (await git(bare, 'reflog', 'show', '--format=%H', 'refs/heads/main')).split('\n');
      return lines.filter(Boolean).reverse() as Sha[];
    },
    checksSettled: () => host.checksEnded(),
    close: async () => {
      await host.close();
      await place.end();
    },
  };
};
