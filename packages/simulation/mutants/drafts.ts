import type { Mutant } from '../src/bundle.js';

const file = 'core/src/decide/verdicts/merged-checks.ts';
const story = 'core/test/draft-pull-requests.story.test.ts';

/** Bugs in draft pull requests of candidates, in checks on a merge with the target, and in what a host does not offer. */
export const drafts: readonly Mutant[] = [
  {
    name: 'merged-checks-count',
    file,
    find: "check.isOnMerge !== true || check.status === 'queued'",
    replace: "check.isOnMerge !== true || check.status !== 'queued'",
    why: 'a pull request fails by a check that ran on a merge with a push that it was not tested on',
    caughtBy: {
      file: story,
      test: 'a check on a merge says nothing if it started after a push to the target that the queue has not seen',
    },
  },
  {
    name: 'merged-checks-beside-count',
    file,
    find: '(isRead && run.onto === target.head && isOnTip(run))',
    replace: '(isRead && run.onto === target.head)',
    why: 'a pull request fails by a check that ran on a merge with another lane',
    caughtBy: {
      file: story,
      test: 'a check on a merge says nothing if it started after another lane had landed: the candidate is built on that',
    },
  },
  {
    name: 'merged-checks-begun-forgotten',
    file,
    find: 'return hadBegun || (',
    replace: 'return (',
    why: 'a check that ran on the candidate is thrown away because another lane landed meanwhile',
    caughtBy: { file: story, test: 'a check on a merge counts if it started before another lane landed' },
  },
  {
    name: 'stale-merged-checks-wait',
    file,
    find: 'if (isStale(draft, run, shown)) draft.changeRun(run, { overtakenBy: beside });',
    replace: '',
    why: 'a test run whose check was stale waits for another until its timeout',
    caughtBy: {
      file: story,
      test: 'a check on a merge says nothing if it started after another lane had landed: the candidate is built on that',
    },
  },
  {
    name: 'drafts-although-switched-off',
    file: 'core/src/decide/testing/draft-pull-request.ts',
    find: '!queue.settings.createPrsForTestingBranches || ',
    replace: '',
    why: 'a repository that wants no draft pull requests gets them',
    caughtBy: {
      file: story,
      test: 'a candidate has no draft pull request without createPrsForTestingBranches',
    },
  },
  {
    name: 'commands-where-none-are-taken',
    file: 'core/src/engine/host-commands.ts',
    find: 'if (first === undefined || hostOf(first.repo) === null) return;',
    replace: 'if (first === undefined) return;',
    why: 'a command that no host takes waits for ever',
    caughtBy: {
      file: 'core/test/host-commands.story.test.ts',
      test: 'a command is not stored if the host takes no commands, and a waiting one is removed',
    },
  },
];
