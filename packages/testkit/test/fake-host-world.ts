import type { FakeCommit } from '../src/fake-host/fake-git.js';
import { fakeHost } from '../src/fake-host/fake-host.js';
import type { HostWorld, LoggedCommit } from '../src/host-conformance/world.js';
import { VIRTUAL_START } from '../src/virtual-clock.js';

const CHECK_MS = 1_000;

/** The fake host for the conformance suite. Its checks run until `checksSettled` advances the clock. */
export const fakeHostWorld = async ({ ignoresCase = false } = {}): Promise<HostWorld> => {
  let now = VIRTUAL_START;
  const host = fakeHost({
    clock: { now: () => now },
    ignoresCase,
    ci: { mode: 'automatic', durationMs: CHECK_MS },
  });
  const repo = { host: 'fake.example', owner: 'acme', name: 'widgets' };
  const branch = 'main';
  const repository = host.createRepository({
    ref: { ...repo, id: 'repository-1' },
    branch,
    files: { 'README.md': 'begin\n' },
    checks: [],
  });
  return {
    host,
    repo,
    branch,
    openDrafts: async () =>
      repository.drafts
        .all()
        .flatMap(({ state, branch: base, title }) => (state === 'open' ? [{ branch: base, title }] : [])),
    push: async (files) => repository.pushTo(branch, files),
    rewind: async (to) => repository.restoreBranch(branch, to),
    branchOff: async (name) => {
      repository.createBranch(name, branch);
    },
    pointAlias: async (name, ref) => repository.pointAlias(name, ref),
    commit: async ({ parents, files, ...rest }) => repository.commit(parents, files, rest),
    commitAt: async (commit) => logged(repository.git.get(commit)),
    open: async ({ files = {}, commits = [], ...rest }) =>
      repository.openPullRequest({ base: branch, ...rest, commits: [files, ...commits] }),
    update: async (pr, { files, deleteBranch, deleted, ...shown }) => {
      if (deleted === true) return repository.deletePullRequest(pr);
      if (files !== undefined) repository.push(pr, files);
      if (deleteBranch === true) repository.deleteHeadBranch(pr);
      repository.edit(pr, shown);
    },
    damage: async (pr, how) => {
      repository.push(pr);
      const isUnreadable = how === 'unreadable' || how === 'hostile folder';
      const code = isUnreadable ? 'PULL_REQUEST_UNREADABLE' : 'MERGE_NOT_COMPUTABLE';
      repository.faults.set(pr, { code, message: how, with: 'target', isShown: how !== 'hostile folder' });
    },
    setChecks: async (checks) => {
      repository.checkNames = checks.map(({ name }) => name);
      for (const { name, failsWhen } of checks) repository.ci.failWhen(name, failsWhen);
    },
    filesAt: async (commit) => repository.git.get(commit).files,
    log: async (name = branch) => {
      const head = repository.branches.get(name);
      if (head === undefined) throw new Error(`There is no branch ${name}.`);
      return repository.git.firstParents(head).map(logged);
    },
    moves: async () =>
      repository.moves.flatMap((move) => (move.branch === branch && move.to !== null ? [move.to] : [])),
    checksSettled: async () => {
      now += CHECK_MS;
    },
    close: async () => undefined,
  };
};

const logged = ({ sha, parents, message, tree, author, committedAt }: FakeCommit): LoggedCommit => ({
  ...{ commit: sha, parents, title: message.split('\n')[0] ?? '' },
  ...{ tree, author, message, committedAt },
});
