import { aSubmission, effectIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import { answerTo, aQuietQueue, aTarget, decided, NOW, OTHER_TIP, TIP } from '../../../test/rules.js';
import type { Sha } from '../../model/ids.js';
import type { BranchSeen } from '../../model/input.js';
import type { Queue } from '../../model/queue.js';

/** Somebody said that the target may have moved; `again`: after it was asked about. */
const doubtAfter = (again: boolean): boolean => {
  const queue = aQuietQueue({}, { isTipInDoubt: true });
  const branch = { asked: effectIdOf(1), askedAt: NOW - 5, again, dueAt: NOW, upTo: null };
  const seen: BranchSeen = { ...answerTo(1), type: 'branch_seen', target: aTarget(), rewound: false };
  return decided({ queue: { ...queue, polls: { ...queue.polls, branch } } }, [seen]).queue.isTipInDoubt;
};

/** What a read of the target brings: the tip, or that it is not there. */
const seen = (queue: Queue, head: Sha | null, rewound = false) => {
  const polls = { ...queue.polls, branch: { ...queue.polls.branch, asked: effectIdOf(1) } };
  const target = aTarget({ head, exists: head !== null });
  return decided({ queue: { ...queue, polls } }, [{ ...answerTo(1), type: 'branch_seen', target, rewound }]);
};

test('a branch that was deleted is compared with its last tip when it is there again', () => {
  const gone = seen(aQuietQueue(), null).queue;
  const due = { ...gone.polls, branch: { ...gone.polls.branch, dueAt: NOW } };
  const stillGone = seen(seen(gone, null).queue, null).queue;

  expect(
    decided({ queue: { ...gone, polls: due }, submissions: [aSubmission(1)] }).wishes('read_branch'),
  ).toMatchObject([{ known: TIP }]);
  expect(seen(stillGone, OTHER_TIP, true).alarms).toEqual(['TARGET_REWOUND']);
  expect(seen(stillGone, OTHER_TIP).alarms).toEqual([]);
  const back = seen(stillGone, TIP);
  expect(back.alarms).toEqual([]);
  expect(seen(seen(back.queue, OTHER_TIP).queue, null).queue.goneFrom).toBe(OTHER_TIP);
});

test('a doubt about the target ends with a read that was asked for since, and with no older one', () => {
  expect(doubtAfter(false)).toBe(false);
  expect(doubtAfter(true)).toBe(true);
});
