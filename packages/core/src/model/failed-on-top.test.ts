import { aMember, submissionIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aRunOn, failedBy } from '../../test/rules.js';
import { failedOnTopOf } from './failed-on-top.js';
import type { TestRun } from './run.js';

const failed = (prs: readonly number[], override: Partial<TestRun> = {}) =>
  aRunOn(prs, { ...failedBy(), ...override });
const found = (run: TestRun, pr: number, live: readonly number[] = []) =>
  failedOnTopOf(
    run,
    { id: submissionIdOf(pr), attempt: 1 },
    { target: 'main', isLive: (member) => live.includes(member.pr) },
  );

describe('what a failed pull request was tested on top of', () => {
  test('a stack that has landed is found, in order', () => {
    expect(found(failed([1, 2, 3], { landed: [1, 2] }), 3)).toEqual({
      prs: [1, 2],
      haveLanded: true,
      target: 'main',
    });
  });

  test('a member of the stack that is still live counts as one that is to land', () => {
    expect(found(failed([1, 2, 3], { landed: [1] }), 3, [2])).toMatchObject({
      prs: [1, 2],
      haveLanded: false,
    });
  });

  test('a member of the stack that left without landing is left out', () => {
    expect(found(failed([1, 2, 3], { landed: [2] }), 3)).toMatchObject({ prs: [2], haveLanded: true });
    expect(found(failed([1, 2]), 2)).toBeNull();
  });

  test('members of the batch count if they are before it, and not if they are behind it', () => {
    const batch = failed([1, 2, 3], { stack: [], batch: [1, 2, 3].map((pr) => aMember(pr)), landed: [1] });

    expect(found(batch, 2, [3])).toMatchObject({ prs: [1], haveLanded: true });
    expect(found(batch, 1, [2, 3])).toBeNull();
  });

  test('a test run on the target alone, one without a verdict, and one without the pull request have nothing below', () => {
    expect(found(failed([3]), 3)).toBeNull();
    expect(found(aRunOn([1, 3], { landed: [1], state: 'ended', outcome: 'infrastructure' }), 3)).toBeNull();
    expect(found(failed([1, 3], { landed: [1] }), 4)).toBeNull();
  });
});
