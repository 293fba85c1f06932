import type { Mutant } from '../src/bundle.js';

/** Bugs where one comes, waits, is sent back or goes. */
export const turns: readonly Mutant[] = [
  {
    name: 'answers-of-replaced-wishes',
    file: 'core/src/decide/inputs/facts/candidate.ts',
    find: '  if (run.building !== fact.effectId) return;\n',
    replace: '',
    why: 'a candidate counts that was asked for by a wish which another has replaced',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/candidate.test.ts',
      test: 'by a wish that was replaced is not taken',
    },
  },
  {
    name: 'steps-aside-without-a-word',
    file: 'core/src/decide/moves/admit.ts',
    find: '  draft.record(asideRow(submission, isAside ? lack : null));\n',
    replace: '',
    why: 'nobody is told afterwards that one in line could not be merged for a while',
    caughtBy: {
      file: 'core/src/decide/moves/admit.test.ts',
      test: 'one that stands aside stays there since the first moment, and comes back once it may be merged',
    },
  },
  {
    name: 'put-off-without-a-word',
    file: 'core/src/decide/moves/retry.ts',
    find: 'timesPutOff === 0 || submission.reasonDetail !== reasonDetail',
    replace: 'timesPutOff === 0 && submission.reasonDetail !== reasonDetail',
    why: 'that the code host asks to wait in other words is on no record',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/not-landed.test.ts',
      test: 'that one is put off again is on record only where the code host says something else',
    },
  },
  {
    name: 'candidate-without-what-landed',
    file: 'core/src/decide/inputs/facts/candidate.ts',
    find: 'else if (!isWhatLanded(updated, outcome.candidate))',
    replace: 'else if (!isWhatLanded(updated, outcome.candidate) && run.landed.length > 1_000)',
    why: 'a candidate is tested that does not hold what landed while it was built',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/candidate.test.ts',
      test: 'counts only if it holds what has landed of its stack',
    },
  },
  {
    name: 'repeated-at-one-pace',
    file: 'core/src/decide/moves/retry.ts',
    find: 'context.pace.retryDelayMs * 2 ** tries',
    replace: 'context.pace.retryDelayMs',
    why: 'what fails again and again is repeated as soon as the first time',
    caughtBy: {
      file: 'core/src/decide/verdicts/repeat.test.ts',
      test: 'and the longer it is, the longer everybody waits, up to five minutes',
    },
  },
  {
    name: 'setting-blames-somebody',
    file: 'core/src/decide/inputs/facts/not-landed.ts',
    find: "  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);\n",
    replace: '',
    why: 'a landing refused by a setting of the repository fails whoever was to land',
    caughtBy: { file: 'core/src/decide/inputs/facts/land.test.ts', test: 'by a setting pauses the queue' },
  },
  {
    name: 'restart-keeps-the-budget',
    file: 'core/src/decide/inputs/commands/restart-tests.ts',
    find: '{ retries: 0, ...noRetryPending }',
    replace: '{ ...noRetryPending }',
    why: 'one whose tests are restarted has the tries used up that it had used',
    caughtBy: {
      file: 'core/src/decide/inputs/commands/restart-tests.test.ts',
      test: 'runs the same again, in its place, on new evidence, with a new budget',
    },
  },
  {
    name: 'aside-after-the-end',
    file: 'core/src/decide/moves/leave.ts',
    find: '    asideSince: null,\n    ...result,\n',
    replace: '    ...result,\n',
    why: 'one that has left still stands aside',
    caughtBy: {
      file: 'core/src/decide/moves/leave.test.ts',
      test: 'has no place, waits for nothing, and is held by nobody any more',
    },
  },
  {
    name: 'begun-anew-in-vain',
    file: 'core/src/decide/testing/schedule.ts',
    find: 'const resumable = resumableRun(draft, planned);',
    replace: 'const resumable = null as ReturnType<typeof resumableRun>;',
    why: 'an upload that moves the line there and back has tests begun anew that were under way',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'goes on, and nothing is told of it',
    },
  },
  {
    name: 'goes-on-and-is-dropped',
    file: 'core/src/decide/draft/draft.ts',
    find: 'for (const id of stopEffects) this.#effects.delete(id);',
    replace: '',
    why: 'a test that goes on after all is called off at the host',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'goes on, and nothing is told of it',
    },
  },
  {
    name: 'goes-on-without-its-build',
    file: 'core/src/decide/draft/draft.ts',
    find: 'for (const id of [run.building, run.starting]) if (id !== null) this.#withdrawn.delete(id);',
    replace: '',
    why: 'a run whose build was taken back waits for it for ever',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'goes on also where its candidate is still being built',
    },
  },
  {
    name: 'search-goes-on-with-less-shown',
    file: 'core/src/decide/verdicts/conclude.ts',
    find: 'if (hasPassedInPart && !required.every((name) => run.requiredChecks.includes(name))) return false;',
    replace: '',
    why: 'one of a failed batch is failed for a check that those below it have never shown',
    caughtBy: {
      file: 'core/src/decide/verdicts/bisect-ends.test.ts',
      test: 'where a check is required that what has passed did not show, but not as long as nothing has passed',
    },
  },
  {
    name: 'passes-of-a-check-of-before',
    file: 'core/src/decide/inputs/facts/branch.ts',
    find: '  forgetPasses(draft, target.digests);\n',
    replace: '',
    why: 'somebody is blamed for what the target fails too, since it passed what the check was before',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/branch.test.ts',
      test: 'a target that passed a check, the present one or one of before, is tested once more where that has become another check',
    },
  },
  {
    name: 'control-without-a-rest',
    file: 'core/src/decide/verdicts/tip.ts',
    find: '      retryAt: draft.now + delayAfter(draft, trust.tries),\n',
    replace: '',
    why: 'a short outage of the CI uses up all tries of a test of the target, and somebody is blamed on it',
    caughtBy: {
      file: 'core/src/decide/verdicts/culprit.test.ts',
      test: 'that comes to no verdict is tested again after a while, and believed in the end',
    },
  },
  {
    name: 'suspected-on-a-broken-target',
    file: 'core/src/decide/verdicts/tip.ts',
    find: 'if (submission.suspectedBy !== null) draft.change',
    replace: 'if (submission.suspectedBy === null) draft.change',
    why: 'a failure on a broken target counts as the first of the two after which somebody is failed',
    caughtBy: {
      file: 'core/test/conviction.story.test.ts',
      test: 'is asked for anew of one whose first failure was on a target that is broken',
    },
  },
];
