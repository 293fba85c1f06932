import { aSubmission, effectIdOf, inputIdOf, runIdOf } from '@mq/testkit';
import { expect, test } from 'vitest';
import {
  aContext,
  aLanding,
  anEndedCheck,
  answerTo,
  aPassed,
  aQuietQueue,
  aRunOn,
  aState,
  aTarget,
  aTestedSubmission,
  decided,
  failedBy,
  NOW,
  OTHER_TIP,
  TIP,
} from '../../../../test/rules.js';
import { viewOf } from '../../../explain/explain.js';
import type { Sha } from '../../../model/ids.js';
import type { BranchSeen, Noticed } from '../../../model/input.js';
import { type Landing, noTrust, type Queue, type Target } from '../../../model/queue.js';
import { decide } from '../../decide.js';

/** A hint that the target may have moved; `again`: it came while a read was under way. */
const doubtAfter = (again: boolean): boolean => {
  const queue = aQuietQueue({}, { isTipInDoubt: true });
  const branch = { asked: effectIdOf(1), askedAt: NOW - 5, again, dueAt: NOW, upTo: null };
  const seen: BranchSeen = { ...answerTo(1), type: 'branch_seen', target: aTarget(), rewound: false };
  return decided({ queue: { ...queue, polls: { ...queue.polls, branch } } }, [seen]).queue.isTipInDoubt;
};

/** The result of a read of the target: its head, or null if it does not exist. */
const seen = (queue: Queue, head: Sha | null, rewound = false) => {
  const polls = { ...queue.polls, branch: { ...queue.polls.branch, asked: effectIdOf(1) } };
  const target = aTarget({ head, exists: head !== null });
  return decided({ queue: { ...queue, polls } }, [{ ...answerTo(1), type: 'branch_seen', target, rewound }]);
};

test('a branch that was deleted and restored is compared with its last head', () => {
  const gone = seen(aQuietQueue(), null).queue;
  const due = { ...gone.polls, branch: { ...gone.polls.branch, dueAt: NOW } };
  const stillGone = seen(seen(gone, null).queue, null).queue;

  expect(
    decided({ queue: { ...gone, polls: due }, submissions: [aSubmission(1)] }).effects('read_branch'),
  ).toMatchObject([{ known: TIP }]);
  expect(seen(stillGone, OTHER_TIP, true).alarms).toEqual(['TARGET_REWOUND']);
  expect(seen(stillGone, OTHER_TIP).alarms).toEqual([]);
  const back = seen(stillGone, TIP);
  expect(back.alarms).toEqual([]);
  expect(back.queue.goneFrom).toBeNull();
  expect(seen(seen(back.queue, OTHER_TIP).queue, null).queue.goneFrom).toBe(OTHER_TIP);
});

test('a branch that was moved back raises an alarm with its old and its new head', () => {
  expect(seen(aQuietQueue(), OTHER_TIP, true).decision.writes.history).toMatchObject([
    { type: 'alarm', sentence: `main no longer contains ${TIP}: it was moved back to ${OTHER_TIP}.` },
  ]);
});

test('a read of the target is never later than the decision that takes it in', () => {
  const queue = aQuietQueue();
  const polls = { ...queue.polls, branch: { ...queue.polls.branch, asked: effectIdOf(1) } };
  const readAt = (at: number) => {
    const target = aTarget({ readAt: at });
    const fact: BranchSeen = { ...answerTo(1), type: 'branch_seen', target, rewound: false };
    return decided({ queue: { ...queue, polls } }, [fact]).queue.target.readAt;
  };

  expect([readAt(NOW - 5), readAt(NOW + 5)]).toEqual([NOW - 5, NOW]);
});

test('a hint that the target has moved puts its head in doubt, also during a landing, and other hints do not', () => {
  const [one, run] = aPassed([1]);
  const doubtBy = (what: Noticed['what'], landing: Landing | null = null) => {
    const given = { queue: aQuietQueue({}, { landing }), submissions: [one], runs: [run] };
    return decided(given, [{ id: inputIdOf(1), type: 'noticed', what }]).queue.isTipInDoubt;
  };

  expect([doubtBy('branch'), doubtBy('branch', aLanding(run))]).toEqual([true, true]);
  expect([doubtBy('checks'), doubtBy('pull_requests')]).toEqual([false, false]);
});

test('a doubt about the target ends with a read that was requested since, and not with an older one', () => {
  expect(doubtAfter(false)).toBe(false);
  expect(doubtAfter(true)).toBe(true);
});

test('a passed pull request has to pass checks that the target has come to require or has redefined', () => {
  const known = [anEndedCheck('success', { runId: runIdOf(9), digest: 'old' })];
  const [one, run] = aPassed([1], { checks: [], known });
  const movedBy = (change: Partial<Target>): readonly string[] => {
    const asItWas = { digests: { build: 'old' }, requiredChecks: ['build'] };
    const queue = aQuietQueue({}, { wanted: 'paused', target: aTarget(asItWas) });
    const polls = { ...queue.polls, branch: { ...queue.polls.branch, asked: effectIdOf(1) } };
    const state = aState({ queue: { ...queue, polls }, submissions: [one], runs: [run] });
    const target = aTarget({ ...asItWas, ...change });
    const fact: BranchSeen = { ...answerTo(1), type: 'branch_seen', target, rewound: false };
    const { writes } = decide(state, [fact], aContext(), viewOf);
    return writes.history.flatMap((row) => (row.type === 'moved' ? [`${row.to} ${row.reason}`] : []));
  };

  expect(movedBy({})).toEqual([]);
  expect(movedBy({ digests: { build: 'new' } })).toEqual(['pending REQUIRED_STATUSES_CHANGED']);
  expect(movedBy({ requiredChecks: ['build', 'audit'] })).toEqual(['pending REQUIRED_STATUSES_CHANGED']);
});

test('a base that passed a check, present or earlier, is tested again once that check is redefined', () => {
  const passed = (head: Sha) => ({ ...noTrust(head), passes: ['build'], confirmed: ['build'] });
  const blamedOn = (ground: Sha, digests: Target['digests']) => {
    const asked = aQuietQueue(
      { mode: 'parallel' },
      {
        target: aTarget({ digests: { build: 'old', lint: 'old' } }),
        tipTrust: passed(TIP),
        groundTrust: [passed(OTHER_TIP)],
      },
    );
    const polls = { ...asked.polls, branch: { ...asked.polls.branch, asked: effectIdOf(1) } };
    const target = aTarget({ digests });
    const beside = ground === TIP ? [] : [{ head: TIP, prs: [7] }];
    const given = {
      queue: { ...asked, polls, isTipInDoubt: true },
      submissions: [aTestedSubmission(1, { state: 'pending_failure' })],
      runs: [aRunOn([1], { ...failedBy(), base: ground, beside })],
    };
    const outcome = decided(given, [{ ...answerTo(1), type: 'branch_seen', target, rewound: false }]);
    return [outcome.pr(1).state, ...outcome.effects('build_candidate').map(({ base }) => base)];
  };

  for (const ground of [TIP, OTHER_TIP]) {
    expect(blamedOn(ground, { build: 'old', lint: 'new' })).toEqual(['failed']);
    expect(blamedOn(ground, { build: 'new', lint: 'old' })).toEqual(['pending_failure', ground]);
  }
});

test('a pull request that failed while the target was in doubt is failed as soon as the target was read unchanged', () => {
  const queue = aQuietQueue({}, { isTipInDoubt: true, tipTrust: { ...noTrust(TIP), passes: ['build'] } });
  const polls = { ...queue.polls, branch: { ...queue.polls.branch, asked: effectIdOf(1) } };
  const state = aState({
    queue: { ...queue, polls },
    submissions: [aTestedSubmission(1, { state: 'pending_failure', failedRunId: runIdOf(1) })],
    runs: [aRunOn([1], failedBy())],
  });
  const fact: BranchSeen = { ...answerTo(1), type: 'branch_seen', target: queue.target, rewound: false };
  const { writes } = decide(state, [fact], aContext(), viewOf);

  expect(writes.submissions.map((one) => one.state)).toEqual(['failed']);
});
