import { aMember, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  anEndedCheck,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  failedBy,
  type Given,
  passedBy,
  TIP,
  touching,
} from '../../../test/rules.js';
import { noTrust, type Queue } from '../../model/queue.js';
import type { TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';
import type { Submission } from '../../model/submission.js';
import { landingBeforeConfirmed } from './culprit.js';

/** One whose target is known to pass. */
const queueOf = (settings: Partial<QueueSettings>, override: Partial<Queue> = {}): Queue =>
  aQuietQueue(
    { concurrency: 2, ...settings },
    { tipTrust: { ...noTrust(TIP), passes: ['build'] }, ...override },
  );

describe('confirming a failure', () => {
  const confirming = queueOf({ confirmBeforeFailing: true });
  /** #1, whose tests have just failed on the tip. */
  const failing = {
    queue: confirming,
    submissions: [aTestedSubmission(1)],
    runs: [aRunOn([1], { checks: [anEndedCheck('failure')] })],
  };

  test('a first failure has the pull request tested once more, alone and in its place', () => {
    const outcome = decided(failing);

    expect(outcome.moves(1)).toEqual([
      'testing>pending_failure TEST_RUN_REQUIRED_STATUS_FAILED',
      'pending_failure>pending CONFIRMATION_REQUIRED',
      'pending>testing CAPACITY_AVAILABLE',
    ]);
    expect(outcome.pr(1)).toMatchObject({
      suspectedBy: runIdOf(1),
      suspectedDetail: 'build: failure',
      alone: true,
      place: 1,
    });
    expect(outcome.closed(1)).toBe('judged');
    expect(outcome.effects('build_candidate')).toMatchObject([{ parts: [{ pr: 1 }] }]);
  });

  describe('the place of a suspect', () => {
    const suspect = aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) });
    const placeWith = (others: Omit<Given, 'queue'>, settings = {}, run: Partial<TestRun> = {}) =>
      decided({
        queue: queueOf(
          { confirmBeforeFailing: true, pendingFailureDepth: 1, concurrency: 3, ...settings },
          { lastPlace: 3, wanted: 'paused' },
        ),
        submissions: [suspect, ...(others.submissions ?? [])],
        runs: [aRunOn([1], { ...failedBy(), ...run }), ...(others.runs ?? [])],
        targets: others.targets ?? [],
      }).pr(1);

    test('the place of a suspect is behind pull requests that have passed without it', () => {
      const [passed, run] = aPassed([2], { without: [aMember(1)] });
      expect(placeWith({ submissions: [passed], runs: [run] })).toMatchObject({
        suspectedBy: runIdOf(1),
        place: 4,
      });
    });

    test('the place of a suspect is kept ahead of pull requests that are still under test', () => {
      const runs = [aRunOn([2], { without: [aMember(1)] })];
      expect(placeWith({ submissions: [aTestedSubmission(2)], runs })).toMatchObject({
        suspectedBy: runIdOf(1),
        place: 1,
      });
    });

    test('the place of a suspect is kept ahead of pull requests that passed on top of it', () => {
      const [passed, run] = aPassed([1, 2]);
      const witnessed = { witnesses: [aMember(2)] };
      expect(placeWith({ submissions: [passed], runs: [run] }, {}, witnessed)).toMatchObject({
        suspectedBy: runIdOf(1),
        place: 1,
      });
    });

    test('the place of a suspect is kept when the passed pull requests are in another lane', () => {
      const [passed, run] = aPassed([3], { without: [aMember(2)] });
      const failed = aTestedSubmission(2, { state: 'pending_failure', failedRunId: runIdOf(2) });
      const targets = [touching(1, ['a']), touching(2, ['b']), touching(3, ['b'])];
      const awaited = aRunOn([2], { ...failedBy(), witnesses: [aMember(4)] });
      const alone = { submissions: [passed], runs: [aRunOn([3], { ...run, without: [] })], targets };
      const behind = {
        submissions: [failed, passed, aTestedSubmission(4)],
        runs: [awaited, run, aRunOn([2, 4])],
        targets: [...targets, touching(4, ['b'])],
      };

      for (const others of [alone, behind])
        expect(placeWith(others, { mode: 'parallel' })).toMatchObject({ suspectedBy: runIdOf(1), place: 1 });
    });
  });

  test('a second failure fails the pull request', () => {
    const outcome = decided({
      ...failing,
      submissions: [aTestedSubmission(1, { suspectedBy: runIdOf(7), alone: true })],
    });

    expect(outcome.moves(1)).toEqual(['testing>failed TEST_RUN_REQUIRED_STATUS_FAILED']);
  });

  test('a pass clears the pull request', () => {
    const outcome = decided({
      queue: confirming,
      submissions: [aTestedSubmission(1, { suspectedBy: runIdOf(7), alone: true })],
      runs: [aRunOn([1], passedBy())],
    });

    expect(outcome.pr(1)).toMatchObject({ state: 'tests_passed', suspectedBy: null });
  });
});

describe('before an urgent suspect is tested again', () => {
  const urgent = (override: Partial<Submission> = {}) =>
    aTestedSubmission(1, {
      state: 'pending_failure',
      failedRunId: runIdOf(1),
      skipTheLine: true,
      ...override,
    });
  const [passed, run] = aPassed([2], { without: [aMember(1)] });
  const landing = (
    submission: Submission,
    settings: Partial<QueueSettings> = {},
    targets: Given['targets'] = [],
  ) => {
    const draft = aDraft({
      queue: queueOf({ confirmBeforeFailing: true, ...settings }),
      submissions: [submission, passed],
      runs: [aRunOn([1], failedBy()), run],
      targets,
    });
    return landingBeforeConfirmed(draft, submission).map(({ pr }) => pr);
  };

  test('pull requests that have passed without it land', () => {
    expect(landing(urgent())).toEqual([2]);
  });

  test('no pull request lands first when failures are not confirmed, this one was, or it is not urgent', () => {
    expect(landing(urgent(), { confirmBeforeFailing: false })).toEqual([]);
    expect(landing(urgent({ suspectedBy: runIdOf(9) }))).toEqual([]);
    expect(landing(urgent({ skipTheLine: false }))).toEqual([]);
  });

  test('pull requests of other lanes need not land first', () => {
    const apart = [touching(1, ['api']), touching(2, ['web'])];

    expect(landing(urgent(), { mode: 'parallel' }, apart)).toEqual([]);
    expect(landing(urgent(), { mode: 'parallel' }, [touching(1, ['api']), touching(2, ['api'])])).toEqual([
      2,
    ]);
  });
});
