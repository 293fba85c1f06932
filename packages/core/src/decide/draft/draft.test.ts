import {
  aCheck,
  anActor,
  anEndedSubmission,
  aSubmission,
  aTargetBook,
  effectIdOf,
  runIdOf,
  shaOf,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import {
  aDraft,
  anEndedCheck,
  aQuietQueue,
  aRunOn,
  aTestedSubmission,
  NOW,
  SEED,
} from '../../../test/rules.js';
import { theQueue } from '../../model/actor.js';
import { idOf } from '../../model/ids.js';
import type { CloseCause } from '../../model/run.js';
import type { Draft } from './draft.js';

describe('Draft', () => {
  test('a draft throws on a move between states that is not legal', () => {
    expect(() => aDraft().move(aSubmission(1), 'not_ready', { reason: 'USER_REQUESTED' })).toThrow(
      '#1 cannot move from pending to not_ready',
    );
    expect(() => aDraft().move(anEndedSubmission(1), 'pending', { reason: 'USER_REQUESTED' })).toThrow(
      /cancelled to pending/,
    );
  });

  test('a draft derives ids from its seed, so that no two decisions use the same id', () => {
    const draft = aDraft();

    expect([draft.newId(), draft.newId()]).toEqual([idOf(SEED, 1), idOf(SEED, 2)]);
  });

  test('a draft keeps what a run has shown to pass when the run is closed before its end', () => {
    const pass = anEndedCheck('success');
    const run = aRunOn([1], { requiredChecks: ['build', 'lint'], checks: [pass] });
    const draft = aDraft({ runs: [run] });
    draft.closeRun(run, 'member_left');

    const { commit, tree } = run.candidate ?? {};
    expect(draft.finish().writes.verdicts).toEqual([{ tree, check: { ...pass, commit } }]);
  });

  test('a draft throws when an attempt is opened beside a live one', () => {
    expect(() =>
      aDraft({ submissions: [aSubmission(1)] }).openAttempt(aSubmission(1, { attempt: 2 }), anActor),
    ).toThrow(/#1 still has a live attempt/);
  });

  test('a draft stamps and records each move, with the queue as the actor unless a user asked', () => {
    const draft = aDraft({ submissions: [aSubmission(1, { stateSince: 5 })] });
    const moved = draft.move(aSubmission(1, { stateSince: 5, reasonDetail: 'old' }), 'testing', {
      reason: 'CAPACITY_AVAILABLE',
    });

    expect(moved).toMatchObject({
      state: 'testing',
      stateSince: NOW,
      reason: 'CAPACITY_AVAILABLE',
      reasonDetail: null,
    });
    expect(draft.finish().writes.history).toEqual([
      {
        type: 'moved',
        submissionId: moved.id,
        pr: 1,
        attempt: 1,
        from: 'pending',
        to: 'testing',
        since: 5,
        admittedAt: moved.admittedAt,
        reasonBefore: 'MERGE_ITEM_NOW_READY',
        reason: 'CAPACITY_AVAILABLE',
        detail: null,
        runId: null,
        actor: theQueue,
        title: moved.pull.title,
        author: moved.pull.author,
        priority: 100,
        sequence: 1,
        at: NOW,
        settingsVersion: 1,
      },
    ]);
  });

  test('a draft does not change the state that it was made from, and returns the changed rows', () => {
    const one = aSubmission(1);
    const draft = aDraft({ submissions: [one, aSubmission(2)] });
    draft.move(one, 'cancelled', { reason: 'USER_REQUESTED' });

    expect(draft.liveSubmissions().map(({ pr }) => pr)).toEqual([2]);
    expect(draft.liveSubmission(1)).toBeUndefined();
    expect(draft.lastSubmission(1)?.state).toBe('cancelled');
    expect(one.state).toBe('pending');
  });

  test('a draft lists all live submissions in their present version', () => {
    const two = aSubmission(2);
    const draft = aDraft({ submissions: [aSubmission(1), two] });
    expect(draft.liveSubmissions().map(({ retries }) => retries)).toEqual([0, 0]);

    draft.change(two, { retries: 1 });

    expect(draft.liveSubmissions().map(({ retries }) => retries)).toEqual([0, 1]);
  });

  test('a draft undoes a move, and keeps all other changes', () => {
    const one = aTestedSubmission(1);
    const draft = aDraft({ submissions: [one] });
    draft.change(one, { retries: 3 });
    draft.move({ ...one, retries: 3 }, 'pending', { reason: 'READINESS_LOST', detail: 'why' });

    draft.undoMoves(one.id);

    expect(draft.submission(one.id)).toEqual({ ...one, retries: 3 });
    expect(draft.finish().writes.history).toEqual([]);
  });

  test('an effect that is requested and withdrawn in the same decision is not requested', () => {
    const draft = aDraft();
    const id = draft.request({ type: 'drop_candidate', runId: aRunOn([1]).id });

    expect(draft.withdraw(id)).toBe(true);
    expect(draft.finish()).toMatchObject({ effects: [], withdraw: [] });
  });

  test('a draft does not withdraw an effect that a performer may hold', () => {
    const draft = aDraft({ underWay: [effectIdOf(1)] });

    expect([draft.withdraw(effectIdOf(1)), draft.withdraw(effectIdOf(2))]).toEqual([false, true]);
    expect(draft.finish().withdraw).toEqual([effectIdOf(2)]);
  });

  test('a draft generates ids that differ', () => {
    const draft = aDraft();

    expect(new Set([draft.newId(), draft.newId(), draft.newId()]).size).toBe(3);
  });

  test('a draft asks to decide again at the earliest of all requested times', () => {
    const draft = aDraft();
    for (const at of [7, 3, 5]) draft.wakeAt(at);

    expect(draft.finish().wakeAt).toBe(3);
  });

  test('a draft finds target uploads of live submissions and of recalled ones', () => {
    const draft = aDraft(
      { submissions: [aSubmission(1)], targets: [aTargetBook(1)] },
      { recalled: { submissions: [], targets: [aTargetBook(2)] } },
    );

    expect([draft.targets(1), draft.targets(2), draft.targets(3)]).toEqual([
      aTargetBook(1),
      aTargetBook(2),
      undefined,
    ]);
    draft.putTargets(aTargetBook(2, ['//new']));
    expect(draft.targets(2)).toEqual(aTargetBook(2, ['//new']));
  });

  test('a draft lists a run for the attempt that it tests, and for no other', () => {
    const draft = aDraft({ runs: [aRunOn([1])] });

    expect(draft.runsOf(aTestedSubmission(1))).toHaveLength(1);
    expect(draft.runsOf(aTestedSubmission(1, { attempt: 2 }))).toEqual([]);
  });

  test('closing a run cancels its checks and drops its candidate', () => {
    const closing = (override: Parameters<typeof aRunOn>[1]) => {
      const draft = aDraft();
      draft.closeRun(aRunOn([1], override), 'judged');
      const { effects, withdraw } = draft.finish();
      return [effects.map(({ type }) => type), withdraw];
    };

    expect(closing({})).toEqual([['cancel_checks', 'drop_candidate'], []]);
    expect(closing({ state: 'ended' })).toEqual([['drop_candidate'], []]);
    expect(closing({ starting: effectIdOf(3) })).toEqual([
      ['cancel_checks', 'drop_candidate'],
      [effectIdOf(3)],
    ]);
    expect(closing({ state: 'building', candidate: null, building: effectIdOf(4) })).toEqual([
      [],
      [effectIdOf(4)],
    ]);
  });

  test('closing a test run that has ended cancels a check that was run again since, except after its landing', () => {
    const closing = (cause: CloseCause, status: 'running' | 'completed', endedAt = NOW - 1) => {
      const draft = aDraft();
      const again = aCheck({ runId: runIdOf(1), status, startedAt: NOW });
      draft.closeRun(aRunOn([1], { state: 'ended', outcome: 'passed', endedAt, checks: [again] }), cause);
      return draft.finish().effects.map(({ type }) => type);
    };

    expect(closing('tests_incomplete', 'running')).toEqual(['cancel_checks', 'drop_candidate']);
    expect(closing('tests_incomplete', 'completed')).toEqual(['drop_candidate']);
    expect(closing('landed', 'running')).toEqual(['drop_candidate']);
    expect(closing('judged', 'running', NOW)).toEqual(['drop_candidate']);
  });

  test('a draft records a change of a run only if its state has changed', () => {
    const draft = aDraft({ queue: aQuietQueue({}, { sequence: 41 }) });
    const run = aRunOn([1], { state: 'building', candidate: null });
    draft.addRun(run);
    draft.changeRun(run, { building: null });
    draft.changeRun(run, { state: 'testing', candidate: aRunOn([1]).candidate });
    draft.changeRun(run, { state: 'ended', outcome: 'passed' });
    draft.closeRun(run, 'landed');

    const rows = draft.finish().writes.history;
    expect(rows.map((row) => [row.sequence, row.type === 'run' && row.change])).toEqual([
      [42, 'created'],
      [43, 'testing'],
      [44, 'ended'],
      [45, 'closed'],
    ]);
    expect(rows[1]).toMatchObject({ prs: [1], attempts: [1], candidate: { commit: shaOf(0xb001) } });
    expect(rows.slice(2)).toMatchObject([{ outcome: 'passed' }, { cause: 'landed' }]);
  });
});

describe('memos of a draft', () => {
  const derived = () => {
    const draft = aDraft({ submissions: [aTestedSubmission(1)], runs: [aRunOn([1])] });
    let times = 0;
    const derive = () =>
      draft.memo('times', () => {
        times += 1;
        return times;
      });
    expect([derive(), derive()]).toEqual([1, 1]);
    return { draft, derive };
  };

  test('a draft computes a memo again after the row of the queue has changed', () => {
    const { draft, derive } = derived();
    draft.changeQueue({ lastPlace: draft.queue.lastPlace });
    expect(derive()).toBe(1);

    draft.changeQueue({ lastPlace: 99 });

    expect(derive()).toBe(2);
  });

  test.each<[string, (draft: Draft) => void]>([
    ['submission', (draft) => draft.change(aTestedSubmission(1), { retries: 1 })],
    ['run', (draft) => draft.changeRun(aRunOn([1]), { checksReadAt: NOW })],
    ['upload', (draft) => draft.putTargets({ pr: 1, sets: [] })],
  ])('a draft computes a memo again after a %s was put', (_, put) => {
    const { draft, derive } = derived();

    put(draft);

    expect(derive()).toBe(2);
  });
});

describe('the rank in line', () => {
  test('the rank in line counts a submission that changed twice only once in the rank of others', () => {
    const draft = aDraft({ submissions: [aSubmission(1), aSubmission(2), aSubmission(3)] });
    const ranks = [1, 2].map((retries) => {
      draft.change(aSubmission(1), { retries });
      return draft.rank('waiting', aSubmission(3));
    });

    expect(ranks).toEqual([2, 2]);
  });
});
