import type { Mutant } from '../src/bundle.js';

/** Bugs where one thing is taken for another that is much like it, or where one of several is forgotten: each names the test that fails with it. */
export const alike: readonly Mutant[] = [
  {
    name: 'overlap-memo-of-another',
    file: 'core/src/decide/carry.ts',
    find: 'known.get(landed.pr) ?? new Map<string, boolean>();',
    replace: 'known.get(0) ?? new Map<string, boolean>();',
    also: { find: 'known.set(landed.pr, ofLanded);', replace: 'known.set(0, ofLanded);' },
    why: 'a run keeps its proof when several land at once and only a later one touches the same',
    caughtBy: {
      file: 'core/src/decide/carry.test.ts',
      test: 'of several, of which only a later one touches the same as a run, overtakes it',
    },
  },
  {
    name: 'ground-fails-all',
    file: 'core/src/decide/tip.ts',
    find: 'return failedChecksOf(run).some((check) => fails.includes(check));',
    replace: 'return failedChecksOf(run).every((check) => fails.includes(check));',
    why: 'whoever waited for two checks on a tip that fails one of them is not tested again, and the tip is tested for ever',
    caughtBy: {
      file: 'core/src/decide/ground-trust.test.ts',
      test: 'to fail one of the checks that had no end in time has whoever waited for them tested again',
    },
  },
  {
    name: 'rest-not-reset',
    file: 'core/src/decide/land.ts',
    find: '    landAfter: null,\n',
    replace: '',
    why: 'a second failure to put passes together pauses the queue although others have landed since the first',
    caughtBy: { file: 'core/src/decide/land.test.ts', test: 'ends what held back whatever was to land' },
  },
  {
    name: 'merged-by-the-landing-run',
    file: 'core/src/decide/facts/land.ts',
    find: '{ reason, runId: member.verifiedBy }',
    replace: '{ reason, runId: landing.runId }',
    why: 'the history names the run that was landed, and not the one that vouched',
    caughtBy: {
      file: 'core/src/decide/facts/land.test.ts',
      test: 'is on record of each with the run that vouches for it',
    },
  },
];
