import { aMember, inputIdOf } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aBatchRun,
  aContext,
  anEndedCheck,
  aPassed,
  aQuietQueue,
  aState,
  aTestedSubmission,
  decided,
  failedBy,
} from '../../test/rules.js';
import { viewOf } from '../explain/explain.js';
import type { Input } from '../model/input.js';
import { decide } from './decide.js';

describe('decide', () => {
  test('decide keeps a fact that only a newer release understands', () => {
    const strange = { id: inputIdOf(1), type: 'eclipse_seen' } as unknown as Input;

    expect(decided({}, [strange]).queue.notUnderstood).toEqual([strange]);
  });

  test('a decision on an empty queue does not ask for another decision', () => {
    expect(decide(aState({ queue: aQuietQueue() }), [], aContext(), viewOf).wakeAt).toBeNull();
  });

  test('a passed test run keeps its pass when a pull request below it is cleared of its failure in the same decision', () => {
    const failed = ([1, 2] as const).map((pr) =>
      aTestedSubmission(pr, { batch: 1, state: 'pending_failure' }),
    );
    const failing = ([3, 4] as const).map((pr) => aTestedSubmission(pr, { batch: 3 }));
    const [fifth, passed] = aPassed([3, 4, 5], { without: [1, 2].map((pr) => aMember(pr)) });
    const outcome = decided({
      queue: aQuietQueue({ batch: true, batchingMinSize: 2, concurrency: 4, pendingFailureDepth: 1 }),
      submissions: [...failed, ...failing, fifth],
      runs: [
        aBatchRun([3, 4], [1, 2], { checks: [anEndedCheck('failure', { runId: aBatchRun([3]).id })] }),
        passed,
        aBatchRun([1, 2], [], { ...failedBy(), witnesses: [3, 4].map((pr) => aMember(pr)) }),
      ],
    });

    expect(outcome.moves(1)).toContain('pending_failure>pending BISECTION_REQUIRED');
    expect(outcome.closed(3)).toBe('superseded');
    expect(outcome.closed(5)).toBeNull();
    expect(outcome.moves(5)).toEqual([]);
  });
});
