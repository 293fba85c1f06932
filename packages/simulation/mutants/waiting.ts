import type { Mutant } from '../src/bundle.js';

/** Bugs when a pull request arrives, waits, is requeued or leaves. */
export const waiting: readonly Mutant[] = [
  {
    name: 'answers-of-replaced-effects',
    file: 'core/src/decide/inputs/facts/candidate.ts',
    find: '  if (run.building !== fact.effectId) return;\n',
    replace: '',
    why: 'a candidate of a replaced effect is used',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/candidate.test.ts',
      test: 'a candidate that was built is ignored when another effect has replaced the one that built it',
    },
  },
  {
    name: 'hold-without-a-row',
    file: 'core/src/decide/moves/admit.ts',
    find: '  draft.record(readinessRow(submission, isOnHold ? lack : null));\n',
    replace: '',
    why: 'the history does not show that a pull request in line was not mergeable for a while',
    caughtBy: {
      file: 'core/src/decide/moves/admit.test.ts',
      test: 'the queue keeps the time since which a pull request is not ready, and returns it to the line once it is mergeable',
    },
  },
  {
    name: 'postponed-without-a-row',
    file: 'core/src/decide/moves/retry.ts',
    find: 'timesPutOff === 0 || submission.reasonDetail !== reasonDetail',
    replace: 'timesPutOff === 0 && submission.reasonDetail !== reasonDetail',
    why: 'the history does not show that the host postponed a landing with another message',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/not-landed.test.ts',
      test: "that is put off again is recorded only when the host's message differs",
    },
  },
  {
    name: 'candidate-without-what-landed',
    file: 'core/src/decide/inputs/facts/candidate.ts',
    find: 'else if (!isWhatLanded(updated, outcome.candidate))',
    replace: 'else if (!isWhatLanded(updated, outcome.candidate) && run.landed.length > 1_000)',
    why: 'a candidate is tested without what landed while it was built',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/candidate.test.ts',
      test: 'a candidate that was built counts only if it holds what has landed of its stack',
    },
  },
  {
    name: 'repeated-at-one-pace',
    file: 'core/src/decide/moves/retry.ts',
    find: 'context.pace.retryDelayMs * 2 ** tries',
    replace: 'context.pace.retryDelayMs',
    why: 'repeated failures are retried without backoff',
    caughtBy: {
      file: 'core/src/decide/verdicts/retry-inconclusive.test.ts',
      test: 'infrastructure failures delay all pull requests longer each time, up to five minutes',
    },
  },
  {
    name: 'setting-fails-a-pull-request',
    file: 'core/src/decide/inputs/facts/not-landed.ts',
    find: "  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);\n",
    replace: '',
    why: 'a landing refused because of a repository setting fails its pull requests',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/land.test.ts',
      test: 'a landing that did not happen because of a setting pauses the queue',
    },
  },
  {
    name: 'restart-keeps-the-budget',
    file: 'core/src/decide/inputs/commands/restart-tests.ts',
    find: '{ retries: 0, ...noRetryPending,',
    replace: '{ ...noRetryPending,',
    why: 'restarting tests does not reset the retry budget',
    caughtBy: {
      file: 'core/src/decide/inputs/commands/restart-tests.test.ts',
      test: 'restarting tests tests the same again in its place, with fresh evidence and a new retry budget',
    },
  },
  {
    name: 'on-hold-after-the-end',
    file: 'core/src/decide/moves/leave.ts',
    find: '    asideSince: null,\n    ...result,\n',
    replace: '    ...result,\n',
    why: 'a pull request that has left is still on hold',
    caughtBy: {
      file: 'core/src/decide/moves/leave.test.ts',
      test: 'leaving the queue clears place, delays and conflicts of the submission',
    },
  },
  {
    name: 'restarted-without-need',
    file: 'core/src/decide/testing/schedule.ts',
    find: 'const resumable = resumableRun(draft, planned);',
    replace: 'const resumable = null as ReturnType<typeof resumableRun>;',
    why: 'an upload that moves the line there and back restarts running tests',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'a test run that is closed and would be started again in the same decision continues, and nothing is recorded',
    },
  },
  {
    name: 'resumed-and-dropped',
    file: 'core/src/decide/draft/draft.ts',
    find: 'for (const id of stopEffects) this.#effects.delete(id);',
    replace: '',
    why: 'a resumed test run is cancelled at the host',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'a test run that is closed and would be started again in the same decision continues, and nothing is recorded',
    },
  },
  {
    name: 'resumed-without-its-build',
    file: 'core/src/decide/draft/draft.ts',
    find: 'for (const id of [run.building, run.starting]) if (id !== null) this.#withdrawn.delete(id);',
    replace: '',
    why: 'a resumed test run waits forever for a build that was withdrawn',
    caughtBy: {
      file: 'core/src/decide/testing/resume-run.test.ts',
      test: 'a test run that is closed and would be started again in the same decision continues also while its candidate is being built',
    },
  },
  {
    name: 'bisection-continues-with-less-shown',
    file: 'core/src/decide/verdicts/conclude.ts',
    find: 'if (hasPassedInPart && !required.every((name) => run.requiredChecks.includes(name))) return false;',
    replace: '',
    why: 'a member of a failed batch is failed for a check that those below it never reported',
    caughtBy: {
      file: 'core/src/decide/verdicts/bisect-ends.test.ts',
      test: 'a bisection ends when a check is required that passed prefixes did not show, but not while nothing has passed',
    },
  },
  {
    name: 'passes-of-an-old-check',
    file: 'core/src/decide/inputs/facts/branch.ts',
    find: '  forgetPasses(draft, target.digests);\n',
    replace: '',
    why: 'a pull request is failed for a check that the target fails too, because the target passed an older version of it',
    caughtBy: {
      file: 'core/src/decide/inputs/facts/branch.test.ts',
      test: 'a base that passed a check, present or earlier, is tested again once that check is redefined',
    },
  },
  {
    name: 'baseline-run-without-backoff',
    file: 'core/src/decide/verdicts/baseline-runs.ts',
    find: 'retryAt: draft.now + delayMs }',
    replace: 'retryAt: draft.now + delayMs * 0 }',
    why: 'a short outage of the CI uses up all tries of a baseline run, and a pull request is failed',
    caughtBy: {
      file: 'core/src/decide/verdicts/culprit.test.ts',
      test: 'a baseline run that is inconclusive is repeated after a while, and in the end the base counts as green',
    },
  },
  {
    name: 'ci-outage-charged-to-the-base',
    file: 'core/src/decide/verdicts/baseline-runs.ts',
    find: 'if (!isDown && tries >=',
    replace: 'if (tries >=',
    why: 'an outage of the CI uses up all tries of a baseline run, and an innocent pull request is failed',
    caughtBy: {
      file: 'core/test/infrastructure.story.test.ts',
      test: 'while the infrastructure fails, a baseline run uses up no retry, so that its pull request is not failed',
    },
  },
  {
    name: 'ci-outage-charged-to-its-second-victim',
    file: 'core/src/decide/verdicts/retry-inconclusive.ts',
    find: '  if (isInfrastructureDown(before)) return true;\n',
    replace: '',
    why: 'an outage of the CI fails the pull requests of one lane one after another',
    caughtBy: {
      file: 'core/test/infrastructure.story.test.ts',
      test: 'while the infrastructure fails %s, pull requests wait from the second one that is hit on',
    },
  },
  {
    name: 'skipped-check-shows-a-working-ci',
    file: 'core/src/decide/verdicts/conclude.ts',
    find: "  if (outcome === 'passed' && !isTested(draft, run)) return;\n",
    replace: '',
    why: 'during an outage of the CI a skipped check elsewhere makes pull requests fail',
    caughtBy: {
      file: 'core/test/infrastructure.story.test.ts',
      test: 'while the infrastructure fails, a check that is %s elsewhere does not show that it works',
    },
  },
  {
    name: 'bisection-charged-for-each-part',
    file: 'core/src/decide/verdicts/bisection-results.ts',
    find: 'retries: retries + Number(isCharged)',
    replace: 'retries: retries + ended.length',
    why: 'one failure of the CI that hits several prefix runs ends their bisection',
    caughtBy: {
      file: 'core/test/infrastructure.story.test.ts',
      test: 'prefix runs of a bisection that end without a verdict at the same time use up one retry',
    },
  },
  {
    name: 'suspected-on-a-broken-target',
    file: 'core/src/decide/verdicts/baseline-runs.ts',
    find: 'if (submission.suspectedBy !== null) draft.change',
    replace: 'if (submission.suspectedBy === null) draft.change',
    why: 'a failure on a broken target counts as the first of two that fail a pull request',
    caughtBy: {
      file: 'core/test/culprit.story.test.ts',
      test: 'confirmBeforeFailing asks again for a pull request whose first failure was on a broken target',
    },
  },
  {
    name: 'rerun-outlives-its-test-run',
    file: 'core/src/decide/draft/draft.ts',
    find: "return cause !== 'landed' && run.endedAt !== this.now && hasRunningChecks(run);",
    replace: 'return false;',
    why: 'a check that was run again after the end of its test run keeps a runner although nothing waits for it',
    caughtBy: {
      file: 'core/src/decide/draft/draft.test.ts',
      test: 'closing a test run that has ended cancels a check that was run again since, except after its landing',
    },
  },
];
