import { anEndedSubmission, aSubmission, runIdOf, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aBatchRun, aDraft, aQuietQueue, aRunOn, aTestedSubmission } from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';
import { explain, queueOrder, viewOf } from './explain.js';

test('a pull request that has left the queue waits for nothing', () => {
  expect(explain(aDraft(), anEndedSubmission(1))).toBeNull();
});

test('the sentence contains the cause that needs an action, however far down the chain', () => {
  const queue = aQuietQueue({}, { wanted: 'draining' });
  const [first, second] = [aSubmission(1), aSubmission(2)];
  const waiting = waitOf(2, { queue, submissions: [first, { ...second, heldBy: first.id }] });

  expect(codesOf(waiting)).toEqual(['conflict_ahead', 'queue_draining']);
  expect(waiting.sentence).toMatch(/^#2 conflicts with #1, .+ The queue is draining /);
  expect(waiting.remedy).toBe('Set the queue running.');
});

describe('waits that form a circle', () => {
  const [first, second] = [aSubmission(1), aSubmission(2)];

  test('the chain ends once it contains the waits of all pull requests in the circle', () => {
    const submissions = [
      { ...first, heldBy: second.id },
      { ...second, heldBy: first.id },
    ];

    expect(codesOf(waitOf(1, { submissions }))).toEqual(['conflict_ahead', 'conflict_ahead', 'decision']);
  });

  test('a circle through a change of mode ends with the pull request that was asked about', () => {
    const queue = aQuietQueue({}, { nextMode: 'parallel' });
    const waiting = waitOf(2, {
      queue,
      submissions: [aTestedSubmission(1, { heldBy: second.id }), second],
    });

    expect(codesOf(waiting)).toEqual(['queue_switching_modes', 'conflict_ahead', 'decision']);
    expect(waiting.causes.at(-1)?.pr).toBe(2);
  });
});

test('a pull request whose holder has left waits only for the next decision', () => {
  const submissions = [aSubmission(2, { heldBy: submissionIdOf(1) })];

  expect(codesOf(waitOf(2, { submissions }))).toEqual(['decision']);
});

describe('a view', () => {
  test('the view of a pull request names the newest open test run of its attempt', () => {
    const one = aTestedSubmission(1);
    const old = aRunOn([9, 1], { batch: [{ ...aRunOn([1]).batch[0]!, attempt: 7 }], id: runIdOf(8) });

    expect(viewOf(aDraft({ submissions: [one], runs: [aRunOn([1]), old] }), one)).toMatchObject({
      runId: runIdOf(1),
      readiness: { doesBaseBranchMatch: true },
    });
    expect(viewOf(aDraft({ submissions: [one] }), one).runId).toBeNull();
  });

  test('the view of a pull request in several test runs names the newest, and what that one waits for', () => {
    const one = aTestedSubmission(1);
    const before = aBatchRun([1, 2], [], { id: runIdOf(8), state: 'building', candidate: null });
    const draft = aDraft({ submissions: [one, aTestedSubmission(2)], runs: [before, aRunOn([1])] });

    const { runId, waiting } = viewOf(draft, one);
    expect([runId, waiting?.causes[0]?.runId]).toEqual([runIdOf(1), runIdOf(1)]);
  });

  test('the view of a queue lists the line, and separately the pull requests that are not ready, by submit time', () => {
    const waiting = (pr: number, submittedAt: number) => aSubmission(pr, { state: 'not_ready', submittedAt });
    const draft = aDraft({
      submissions: [waiting(3, 2), waiting(4, 1), waiting(2, 2), aSubmission(6), aTestedSubmission(7)],
    });

    expect(queueOrder(draft).enqueued.map((one) => one.pr)).toEqual([7, 6]);
    expect(queueOrder(draft).notReady.map((one) => one.pr)).toEqual([4, 2, 3]);
  });
});
