import type { Mutant } from '../src/bundle.js';

/** Bugs at the edges of lists, landings and answers of the host. */
export const edgeCases: readonly Mutant[] = [
  {
    name: 'checks-read-after-the-landing',
    file: 'core/src/decide/inputs/facts/checks.ts',
    find: '  if (mayHaveLanded(draft, run)) return true;\n',
    replace: '',
    why: 'a check that is run again after the branch has moved takes its pass from the receipt',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/checks.test.ts',
      test: 'a different end of a check does not count once the branch may have moved, and withdraws a landing before that',
    },
  },
  {
    name: 'asks-again-without-a-pause',
    file: 'core/src/decide/moves/polls.ts',
    find: 'const dueAt = draft.now + (poll.again ? 0 : draft.context.pace[intervals[topic]]);',
    replace: 'const dueAt = draft.now;',
    why: 'each answer of the host is followed by the same read at once',
    seed: 2,
  },
  {
    name: 'time-of-the-host-without-a-pause',
    file: 'core/src/engine/backoff.ts',
    find: 'retryAt === null || retryAt <= now',
    replace: 'retryAt === null',
    why: 'after a clock jump, the retry time that the host names has passed, and the delay does not grow',
    caughtBy: {
      file: 'core/src/engine/performer.test.ts',
      test: 'a failed effect is delayed as without a time of the host if that time is over, or comes at once',
    },
  },
  {
    name: 'own-landing-makes-unready',
    file: 'core/src/model/pull-request.ts',
    find: "  state === 'open' && mergeability === 'not_mergeable' && !conflicts;",
    replace: "  mergeability === 'not_mergeable' && !conflicts;",
    why: 'a pull request that the host shows as merged during its own landing goes on hold as not mergeable',
    seed: 2,
  },
  {
    name: 'given-up-while-the-host-answers-never',
    file: 'core/src/decide/entry/expire.ts',
    find: '  if (!wasReadSince) {\n',
    replace: '  if (!wasReadSince && draft.now < 0) {\n',
    also: {
      find: '  if (heldByTrouble(draft.queue) !== null) return;\n',
      replace: '  if (heldByTrouble(draft.queue) !== null && draft.now < 0) return;\n',
    },
    why: 'a test run times out at its deadline although the host answers "never" and nothing was read since',
    seed: 73,
    triggered: ['neverAtDeadline'],
  },
  {
    name: 'two-that-crash-excuse-each-other',
    file: 'core/src/decide/verdicts/probe.ts',
    find: 'baselineRuns(draft).length > 0)',
    replace: 'baselineRuns(draft).length >= 0)',
    why: 'two crashing pull requests of different lanes keep each other from being failed',
    seed: 2,
    triggered: ['killedBySignal'],
  },
  {
    name: 'crashes-are-forgotten-with-their-window',
    file: 'core/src/decide/verdicts/retry-inconclusive.ts',
    find: 'const rounds = (before?.rounds ?? 0) + (isUnrelated ? 1 : 0);',
    replace: 'const rounds = isUnrelated ? before.rounds + 1 : 0;',
    why: 'two pull requests whose tests crash, and take longer than the window, excuse each other for ever',
    caughtBy: {
      file: 'core/test/outcomes.story.test.ts',
      test: 'two pull requests of different lanes whose tests crash each time are failed also if their tests take long',
    },
  },
  {
    name: 'lists-end-with-their-first-page',
    file: 'core/src/engine/pages.ts',
    find: '    cursor = page.next ?? undefined;\n',
    replace: '    cursor = undefined;\n',
    why: 'only the first page of lists of the store is read',
    caughtBy: {
      file: 'core/test/pages.story.test.ts',
      test: 'queues on different pages of the store are all reached by a hint for their repository',
    },
  },
  {
    name: 'start-reads-the-first-page',
    file: 'server/src/hint-at-checks.ts',
    find: '    cursor = page.next;\n',
    replace: '    cursor = null;\n',
    why: 'a server start reads only the checks of repositories on the first page of queues',
    caughtBy: {
      file: 'server/src/hint-at-checks.test.ts',
      test: 'the checks of each repository are read once at the start, also of those on later pages of the list',
    },
  },
  {
    name: 'batch-lands-one-by-one',
    file: 'host-git/src/land.ts',
    find: '    await recordIntent(repo, request);\n',
    replace: `    await recordIntent(repo, request);
    let was = request.onto;
    for (const { commit: to } of request.candidate.steps) {
      await changeRefs(repo, [{ kind: 'update', ref: branchRef(request.branch), to, was }]);
      was = to;
    }
`,
    also: {
      find: 'to: candidate.commit, was: onto, through: true });',
      replace: 'to: candidate.commit, was: candidate.commit, through: true });',
    },
    why: 'the git host moves the target once per pull request of a batch, so that a part of it can land',
    caughtBy: {
      file: 'host-git/test/git-host.conformance.test.ts',
      test: 'a batch lands in one move of the target, and each pull request is merged as its own step',
      declaredIn: 'testkit/src/host-conformance/landing.ts',
    },
  },
];
