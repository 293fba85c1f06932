import { effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { answerTo, aQuietQueue, aTarget, decided, NOW } from '../../../test/rules.js';
import type { BranchSeen } from '../../model/input.js';

/** Somebody said that the target may have moved; `again`: after it was asked about. */
const doubtAfter = (again: boolean): boolean => {
  const queue = aQuietQueue({}, { isTipInDoubt: true });
  const branch = { asked: effectIdOf(1), askedAt: NOW - 5, again, dueAt: NOW, upTo: null };
  const seen: BranchSeen = { ...answerTo(1), type: 'branch_seen', target: aTarget(), rewound: false };
  return decided({ queue: { ...queue, polls: { ...queue.polls, branch } } }, [seen]).queue.isTipInDoubt;
};

test('a doubt about the target ends with a read that was asked for since, and with no older one', () => {
  expect(doubtAfter(false)).toBe(false);
  expect(doubtAfter(true)).toBe(true);
});
