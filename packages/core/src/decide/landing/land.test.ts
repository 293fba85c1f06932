import { aCandidate, aMember, aPullRequest, aSubmission, effectIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  decided,
  NOW,
  TIP,
  touching,
} from '../../../test/rules.js';
import { landingProofOf } from '../../model/landing-proof.js';

const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([1, 2]);
const [three, run3] = aPassed([1, 2, 3]);
const queue = aQuietQueue({ concurrency: 3 });

describe('landing', () => {
  test('the queue lands all passed pull requests from the front with the candidate of the last one, in one move', () => {
    const outcome = decided({
      queue,
      submissions: [one, two, aTestedSubmission(3)],
      runs: [run1, run2, aRunOn([1, 2, 3])],
    });
    const [effect] = outcome.effects('land');

    expect(effect).toEqual({
      id: effect?.id,
      type: 'land',
      runId: run2.id,
      branch: 'main',
      onto: TIP,
      candidate: aCandidate([1, 2]),
      proofs: [run1, run2].flatMap((run) => landingProofOf(run, run.requiredChecks, queue.target.digests)),
      members: [
        { pr: 1, head: aPullRequest(1).head, forced: false },
        { pr: 2, head: aPullRequest(2).head, forced: false },
      ],
    });
    expect(outcome.queue.landing).toMatchObject({
      effectId: effect?.id,
      runId: run2.id,
      onto: TIP,
      startedAt: NOW,
    });
    expect([1, 2, 3].map((pr) => outcome.waits(pr))).toEqual(['landing', 'landing', 'checks']);
  });

  test('a landing ends the delay that held back other landings', () => {
    const { queue: after } = decided({
      queue: aQuietQueue({}, { landAfter: NOW - 1 }),
      submissions: [one],
      runs: [run1],
    });

    expect(after.landing?.runId).toBe(run1.id);
    expect(after.landAfter).toBeNull();
  });

  test("the queue names the pull requests that were forced past the host's rules", () => {
    const outcome = decided({
      queue,
      submissions: [{ ...one, forceEnqueued: true }, two],
      runs: [run1, run2],
    });

    expect(outcome.effects('land')[0]?.members.map((member) => member.forced)).toEqual([true, false]);
  });

  test('the queue lands nothing before everything ahead has passed', () => {
    const outcome = decided({ queue, submissions: [aTestedSubmission(1), two], runs: [aRunOn([1]), run2] });

    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.waits(2)).toBe('landing_turn');
  });

  test('a pull request that is passed over does not block a landing', () => {
    const held = aSubmission(5, {
      place: 0,
      asideSince: NOW,
      pull: aPullRequest(5, { mergeability: 'not_mergeable' }),
    });
    const outcome = decided({ queue, submissions: [held, one], runs: [run1] });

    expect(outcome.effects('land').map((effect) => effect.members.map((member) => member.pr))).toEqual([[1]]);
  });

  test('the queue lands a kept candidate of a longer run when the candidates of shorter ones are gone', () => {
    const gone = { ...run1, isCandidateKept: false };
    const outcome = decided({ queue, submissions: [one, two], runs: [gone, run2] });

    expect(outcome.effects('land').map(({ runId }) => runId)).toEqual([run2.id]);
    expect(outcome.effects('build_candidate')).toEqual([]);
  });

  test('the queue runs one landing at a time', () => {
    const landing = aLanding(run1);
    const outcome = decided({ queue: { ...queue, landing }, submissions: [one, two], runs: [run1, run2] });

    expect(outcome.effects('land')).toEqual([]);
  });

  test('the queue keeps the runs that a landing under way depends on, or lands nothing', () => {
    const lanes = [touching(1, ['b']), touching(2, ['a']), touching(3, 'ALL')];
    const proofs = [run1, run2, run3];
    const landing = aLanding(run3, {
      members:
        run3.candidate?.steps.map(({ pr }, i) => ({
          ...aMember(pr),
          verifiedBy: proofs[i]?.id ?? run3.id,
        })) ?? [],
    });
    const world = {
      queue: aQuietQueue({ mode: 'parallel', concurrency: 3 }, { landing }),
      submissions: [one, two, three],
      runs: proofs,
      targets: lanes,
    };

    const underWay = decided({ ...world, underWay: [landing.effectId] });
    expect(underWay.closed(2)).toBeNull();
    expect(underWay.pr(2).state).toBe('tests_passed');

    const heldBack = decided(world);
    expect(heldBack.decision.withdraw).toEqual([landing.effectId]);
    expect(heldBack.closed(2)).toBe('superseded');
  });

  test('a pull request that the host does not show waits with those stacked on it, and the others land', () => {
    const gone = { ...two, missingSince: NOW - 1 };
    const outcome = decided({ queue, submissions: [one, gone, three], runs: [run1, run2, run3] });

    expect(outcome.effects('land')[0]?.members.map((member) => member.pr)).toEqual([1]);
    expect([2, 3].map((pr) => outcome.waits(pr))).toEqual(['missing', 'landing_turn']);
  });

  test('the queue lands only the first after the host refused several at once', () => {
    const outcome = decided({
      queue: { ...queue, landsSingly: true },
      submissions: [one, two, three],
      runs: [run1, run2, run3],
    });

    expect(outcome.effects('land')[0]?.members.map((member) => member.pr)).toEqual([1]);
  });

  test.each([
    ['paused', 0],
    ['draining', 1],
    ['running', 1],
  ] as const)('while the queue is %s there are %i landings', (wanted, count) => {
    const outcome = decided({ queue: { ...queue, wanted }, submissions: [one], runs: [run1] });

    expect(outcome.effects('land')).toHaveLength(count);
  });

  test('the queue does not read the target during a landing, and ignores an earlier read', () => {
    const polls = {
      ...queue.polls,
      branch: { asked: effectIdOf(3), upTo: null, askedAt: NOW - 1, again: true, dueAt: NOW + 9 },
    };
    const outcome = decided({ queue: { ...queue, polls }, submissions: [one], runs: [run1] });

    expect(outcome.queue.polls.branch).toMatchObject({ asked: null, again: false, dueAt: NOW });
    expect(outcome.effects('read_branch')).toEqual([]);
  });

  test('the queue does not land what passed on another stack than the line has now', () => {
    const outcome = decided({ queue: { ...queue, wanted: 'draining' }, submissions: [two], runs: [run2] });

    expect(outcome.effects('land')).toEqual([]);
    expect(outcome.pr(2).state).not.toBe('tests_passed');
  });
});
