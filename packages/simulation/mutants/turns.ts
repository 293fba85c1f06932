import type { Mutant } from '../src/bundle.js';

/** Bugs where one comes, waits, is sent back or goes. */
export const turns: readonly Mutant[] = [
  {
    name: 'answers-of-replaced-wishes',
    file: 'core/src/decide/facts/trial.ts',
    find: '  if (run.building !== fact.effectId) return;\n',
    replace: '',
    why: 'a trial counts that was asked for by a wish which another has replaced',
    caughtBy: {
      file: 'core/src/decide/facts/trial.test.ts',
      test: 'by a wish that was replaced is not taken',
    },
  },
  {
    name: 'trial-without-what-landed',
    file: 'core/src/decide/facts/trial.ts',
    find: 'else if (!isWhatLanded(known, outcome.trial))',
    replace: 'else if (!isWhatLanded(known, outcome.trial) && run.landed.length > 1_000)',
    why: 'a trial is tested that does not hold what landed while it was built',
    caughtBy: {
      file: 'core/src/decide/facts/trial.test.ts',
      test: 'counts only if it holds what has landed of its stack',
    },
  },
  {
    name: 'repeated-at-one-pace',
    file: 'core/src/decide/retry.ts',
    find: 'context.pace.retryDelayMs * 2 ** tries',
    replace: 'context.pace.retryDelayMs',
    why: 'what fails again and again is repeated as soon as the first time',
    caughtBy: {
      file: 'core/src/decide/repeat.test.ts',
      test: 'and the longer it is, the longer everybody waits, up to five minutes',
    },
  },
  {
    name: 'setting-blames-somebody',
    file: 'core/src/decide/facts/not-landed.ts',
    find: "  if (refusal.class === 'setting') return pauseFor(draft, 'HOST_REFUSED', refusal.message);\n",
    replace: '',
    why: 'a landing refused by a setting of the repository fails whoever was to land',
    caughtBy: { file: 'core/src/decide/facts/land.test.ts', test: 'by a setting pauses the queue' },
  },
  {
    name: 'restart-keeps-the-budget',
    file: 'core/src/decide/commands/restart-tests.ts',
    find: '{ retries: 0, ...nothingPutOff }',
    replace: '{ ...nothingPutOff }',
    why: 'one whose tests are restarted has the tries used up that it had used',
    caughtBy: {
      file: 'core/src/decide/commands/restart-tests.test.ts',
      test: 'runs the same again, in its place, on new evidence, with a new budget',
    },
  },
  {
    name: 'cancelled-long-after-the-merge',
    file: 'core/src/decide/commands/cancel.ts',
    find: 'submission.stateSince >= command.askedAt',
    replace: 'submission.stateSince > 0',
    why: 'whoever cancels what was merged long ago is told that it was merged meanwhile',
    caughtBy: {
      file: 'core/src/decide/commands/cancel.test.ts',
      test: 'tells apart what was merged before it was asked from what was merged since',
    },
  },
  {
    name: 'aside-after-the-end',
    file: 'core/src/decide/leave.ts',
    find: '    asideSince: null,\n  });',
    replace: '  });',
    why: 'one that has left still stands aside',
    caughtBy: {
      file: 'core/src/decide/leave.test.ts',
      test: 'has no place, waits for nothing, and is held by nobody any more',
    },
  },
  {
    name: 'begun-anew-in-vain',
    file: 'core/src/decide/schedule.ts',
    find: 'const again = letGoInVain(draft, planned);',
    replace: 'const again = null as ReturnType<typeof letGoInVain>;',
    why: 'an upload that moves the line there and back has tests begun anew that were under way',
    caughtBy: {
      file: 'core/src/decide/go-on.test.ts',
      test: 'goes on, and nothing is told of it',
    },
  },
  {
    name: 'goes-on-and-is-dropped',
    file: 'core/src/decide/draft.ts',
    find: 'for (const id of wishes) this.#effects.delete(id);',
    replace: '',
    why: 'a test that goes on after all is called off at the host',
    caughtBy: {
      file: 'core/src/decide/go-on.test.ts',
      test: 'goes on, and nothing is told of it',
    },
  },
  {
    name: 'goes-on-without-its-build',
    file: 'core/src/decide/draft.ts',
    find: 'for (const id of [run.building, run.starting]) if (id !== null) this.#withdrawn.delete(id);',
    replace: '',
    why: 'a run whose build was taken back waits for it for ever',
    caughtBy: {
      file: 'core/src/decide/go-on.test.ts',
      test: 'goes on also where its trial is still being built',
    },
  },
];
