import { aCheck, aTargetBook, runIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aLanding,
  aPassed,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  NOW,
  passedBy,
} from '../../test/rules.js';
import { codesOf, waitOf } from '../../test/waits.js';

const running = { checks: [aCheck({ status: 'running', conclusion: null, startedAt: NOW - 360_000 })] };
const [one, run1] = aPassed([1]);
const [two, run2] = aPassed([1, 2]);

test('a passed pull request names the undecided ones ahead of it, and what the first of them waits for', () => {
  const waiting = waitOf(2, { submissions: [aTestedSubmission(1), two], runs: [aRunOn([1], running), run2] });

  expect(codesOf(waiting)).toEqual(['landing_turn', 'checks']);
  expect(waiting).toMatchObject({
    sentence:
      '#2 passed its tests in test run 00000003-0000-4000-8000-000000000002 and merges when #1 ahead of it can merge too.',
    remedy:
      '#2 merges right behind those ahead of it, and is tested again if one of them leaves the queue. The test run that it waits for times out at 2026-01-01 02:00:00 UTC.',
    behindPr: 1,
    untilAt: NOW + 3_600_000,
  });
  expect(waiting.causes[1]).toMatchObject({ pr: 1, runId: runIdOf(1) });
});

test('a pull request that is being landed shows the move of the target, also while the queue is paused', () => {
  const landing = aLanding(run1, { startedAt: NOW - 3_000 });
  const queue = aQuietQueue({}, { landing, wanted: 'paused' });
  const waiting = waitOf(1, { queue, submissions: [one], runs: [run1] });

  expect(codesOf(waiting)).toEqual(['landing']);
  expect(waiting).toMatchObject({
    sentence:
      'main is being moved from c0000000 to c0000000, which merges #1; the code host was asked 3 s ago.',
    remedy: '#1 is merged as soon as the code host has moved main.',
  });
  expect(waiting.causes[0]).toMatchObject({ pr: 1, runId: run1.id });
});

test('a passed pull request waits for the landing under way', () => {
  const queue = aQuietQueue({}, { landing: aLanding(run1, { startedAt: NOW - 3_000 }) });
  const waiting = waitOf(2, { queue, submissions: [one, two], runs: [run1, run2] });

  expect(codesOf(waiting)).toEqual(['other_landing']);
  expect(waiting).toMatchObject({
    sentence:
      '#2 passed its tests in test run 00000003-0000-4000-8000-000000000002 and waits for the merge of #1, which started 3 s ago.',
    remedy: '#2 can merge as soon as that has ended.',
  });
});

test('a pause is shown before a landing that is still under way', () => {
  const queue = aQuietQueue({ concurrency: 2 }, { landing: aLanding(run1), wanted: 'paused' });
  const world = { queue, submissions: [one, two], runs: [run1, run2] };

  expect(codesOf(waitOf(2, world))).toEqual(['queue_paused']);
  expect(codesOf(waitOf(1, world))).toEqual(['landing']);
});

test('a combined commit of several lanes is shown with the run that builds it', () => {
  const compose = aRunOn([1], {
    id: runIdOf(7),
    purpose: { kind: 'compose', vouchers: [run1.id] },
    state: 'building',
    candidate: null,
    createdAt: NOW - 2_000,
  });
  const waiting = waitOf(1, { submissions: [one], runs: [run1, compose] });

  expect(codesOf(waiting)).toEqual(['composition']);
  expect(waiting.sentence).toBe(
    'The commit that merges #1 is being built on main at c0000000 (run 00000003-0000-4000-8000-000000000007, started 2 s ago).',
  );
});

test('a pull request that passed after the build of a combined commit started lands after it', () => {
  const compose = aRunOn([1], {
    id: runIdOf(7),
    purpose: { kind: 'compose', vouchers: [run1.id] },
    state: 'building',
    candidate: null,
  });

  const waiting = waitOf(2, { submissions: [one, two], runs: [run1, run2, compose] });
  expect(codesOf(waiting)).toEqual(['composition']);
  expect(waiting.sentence).toMatch(/^The commit that merges #1 is being built on main /);
  expect(waiting.remedy).toBe(
    'It is merged without another test as soon as it is built, and #2 can merge after that.',
  );
  expect(waiting.causes[0]).toMatchObject({ pr: 2, runId: runIdOf(7) });
});

test('a pull request that was tested with another lands with it, and shows what that one waits for', () => {
  const batch = aBatchRun([1, 2], [], { ...passedBy(), id: runIdOf(5) });
  const wait = {
    retryAt: NOW + 9_000,
    reason: 'HOST_NOT_READY',
    reasonDetail: 'A review is missing.',
  } as const;
  const waiting = waitOf(1, { submissions: [one, { ...two, ...wait }], runs: [batch] });

  expect(codesOf(waiting)).toEqual(['landing_turn', 'host']);
  expect(waiting.causes[0]).toMatchObject({ pr: 2, runId: runIdOf(5) });
  expect(waiting.sentence).toMatch(/ merges when #2, which it was tested with, can merge too\./);
});

test('a combined commit that could not be built shows the time of the next try', () => {
  const queue = aQuietQueue({}, { landAfter: NOW + 9_000 });
  const waiting = waitOf(1, { queue, submissions: [one], runs: [run1] });

  expect(codesOf(waiting)).toEqual(['landing_delay']);
  expect(waiting).toMatchObject({
    sentence: 'Nothing could be merged into main a moment ago, and #1 waits for the next try.',
    untilAt: NOW + 9_000,
  });
});

test('a pull request that nothing blocks waits for the next decision', () => {
  const waiting = waitOf(1, { submissions: [one], runs: [run1] });

  expect(codesOf(waiting)).toEqual(['decision']);
  expect(waiting.sentence).toBe('Nothing blocks #1 any more.');
});

describe('landings that the host delayed', () => {
  const held = (pr: number, reason: 'HOST_NOT_READY' | 'LANDING_PUT_OFF', reasonDetail: string) => ({
    ...(pr === 1 ? one : two),
    retryAt: NOW + 9_000,
    reason,
    reasonDetail,
  });

  test('the delay of one pull request is distinguished from a delay of all landings', () => {
    const putOff = held(1, 'LANDING_PUT_OFF', 'No answer.');
    const sentenceOf = (landAfter: number | null) =>
      waitOf(1, { queue: aQuietQueue({}, { landAfter }), submissions: [putOff], runs: [run1] }).sentence;

    expect(sentenceOf(null)).toBe(
      '#1 could not be merged into main a moment ago (No answer), and #1 waits for the next try.',
    );
    expect(sentenceOf(NOW + 9_000)).toBe(
      'Nothing could be merged into main a moment ago (No answer), and #1 waits for the next try.',
    );
    expect(sentenceOf(NOW + 5_000)).toBe(sentenceOf(null));
  });

  test('the wait for a delayed landing shows the later time if all landings are delayed for longer than this pull request', () => {
    const untilOf = (reason: 'HOST_NOT_READY' | 'LANDING_PUT_OFF', landAfter: number) => {
      const waiting = waitOf(1, {
        queue: aQuietQueue({}, { landAfter }),
        submissions: [held(1, reason, 'No answer.')],
        runs: [run1],
      });
      return [waiting.code, waiting.untilAt, waiting.causes[0]?.pr];
    };

    expect(untilOf('LANDING_PUT_OFF', NOW + 5_000)).toEqual(['landing_delay', NOW + 9_000, 1]);
    expect(untilOf('LANDING_PUT_OFF', NOW + 20_000)).toEqual(['landing_delay', NOW + 20_000, 1]);
    expect(untilOf('HOST_NOT_READY', NOW + 5_000)).toEqual(['host', NOW + 9_000, 1]);
    expect(untilOf('HOST_NOT_READY', NOW + 20_000)).toEqual(['landing_delay', NOW + 20_000, 1]);
  });

  test('the wait for a delayed landing quotes the message of the host for one pull request, or for all if it would land nothing', () => {
    const sentenceOf = (landAfter: number | null) =>
      waitOf(1, {
        queue: aQuietQueue({}, { landAfter }),
        submissions: [held(1, 'HOST_NOT_READY', 'A review is missing.')],
        runs: [run1],
      }).sentence;

    expect(sentenceOf(null)).toMatch(
      /^The code host asked the queue to wait before merging #1: A review is missing\.$/,
    );
    expect(sentenceOf(NOW + 9_000)).toMatch(/ before merging anything on main: A review is missing\.$/);
  });

  test('while all landings are delayed, every waiting pull request shows the message of the refusal', () => {
    const sentenceOf = (refused: typeof one) =>
      waitOf(2, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 2 }, { landAfter: NOW + 9_000 }),
        submissions: [refused, two],
        targets: [aTargetBook(1, ['//a']), aTargetBook(2, ['//b'])],
        runs: [run1, { ...run2, stack: [] }],
      }).sentence;

    expect(sentenceOf(held(1, 'HOST_NOT_READY', 'A review is missing.'))).toMatch(
      /^Nothing could be merged into main a moment ago \(A review is missing\), and #2 waits/,
    );
    const later = { ...held(1, 'HOST_NOT_READY', 'A review is missing.'), retryAt: NOW + 99_000 };
    expect(sentenceOf(later)).toMatch(/^Nothing could be merged into main a moment ago, and #2 waits/);
  });

  test('while all landings are delayed, the message is that of a refused landing, not of a refused test', () => {
    const sentenceOf = (reason: 'HOST_NOT_READY' | 'CAPACITY_AVAILABLE') =>
      waitOf(1, {
        queue: aQuietQueue({ mode: 'parallel', concurrency: 2 }, { landAfter: NOW + 9_000 }),
        submissions: [
          one,
          aTestedSubmission(2, { retryAt: NOW + 9_000, reason, reasonDetail: 'Words of #2.' }),
        ],
        targets: [aTargetBook(1, ['//a']), aTargetBook(2, ['//b'])],
        runs: [run1],
      }).sentence;

    expect(sentenceOf('HOST_NOT_READY')).toMatch(/main a moment ago \(Words of #2\), and #1 waits/);
    expect(sentenceOf('CAPACITY_AVAILABLE')).toMatch(/main a moment ago, and #1 waits/);
  });
});

test('a landing of several pull requests points at the first of them', () => {
  const both = aBatchRun([1, 2], [], { ...passedBy(), id: runIdOf(5) });
  const [three, run3] = aPassed([1, 2, 3]);
  const queue = aQuietQueue({ concurrency: 2 }, { landing: aLanding(both, { startedAt: NOW - 3_000 }) });
  const waiting = waitOf(3, { queue, submissions: [one, two, three], runs: [both, run3] });

  expect(waiting.causes[0]).toMatchObject({ code: 'other_landing', pr: 1 });
  expect(waiting.sentence).toMatch(/ for the merge of #1 and #2, which /);
});

test('the wait names only the undecided pull requests ahead, not those that have passed', () => {
  const [three, run3] = aPassed([1, 2, 3]);
  const waiting = waitOf(3, {
    queue: aQuietQueue({ concurrency: 3 }),
    submissions: [one, aTestedSubmission(2), three],
    runs: [run1, aRunOn([1, 2], running), run3],
  });

  expect(waiting.sentence).toMatch(/ and merges when #2 ahead of it can merge too\.$/);
  expect(waiting.behindPr).toBe(2);
});

test('each pull request of a combined commit is shown to land with the others', () => {
  const compose = aBatchRun([1, 2], [], {
    id: runIdOf(7),
    purpose: { kind: 'compose', vouchers: [run1.id, run2.id] },
    state: 'building',
    candidate: null,
  });
  const remedyOf = (pr: number) =>
    waitOf(pr, { submissions: [one, two], runs: [run1, run2, compose] }).remedy;

  for (const pr of [1, 2])
    expect(remedyOf(pr)).toBe('It is merged without another test as soon as it is built.');
});
