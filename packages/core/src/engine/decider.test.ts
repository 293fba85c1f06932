import {
  aFact,
  anActor,
  aSubmission,
  BUILT_AT,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { aCancel, aSubmit, engineWorld, lostAfter, lostBefore } from '../../test/engine-world.js';
import { MergeQueueError } from '../errors.js';
import type { Fact } from '../model/input.js';

type EngineWorld = Awaited<ReturnType<typeof engineWorld>>;

const rowsOf = (world: EngineWorld) => world.memory.submissions({ queueId: queueIdOf(1), limit: 100 });
const refusalOf = (
  result: Awaited<ReturnType<ReturnType<Awaited<ReturnType<typeof engineWorld>>['deciderOf']>['ask']>>,
) => (result.ok ? null : result.refusal.code);

/** The result, or undefined if nothing more happens. */
const inTime = <Value>(promise: Promise<Value>): Promise<Value | undefined> =>
  Promise.race([
    promise,
    new Promise<undefined>((resolve) => setImmediate(() => setImmediate(() => resolve(undefined)))),
  ]);

describe('a decider', () => {
  test('a decider answers once the result is in the store', async () => {
    const world = await engineWorld();

    const result = await world.deciderOf().ask(aSubmit(1));

    expect(result).toMatchObject({ ok: true, submission: { submission: { pr: 1, state: 'pending' } } });
    expect((await rowsOf(world)).items.map(({ pr }) => pr)).toEqual([1]);
  });

  test('a decider decides commands together that arrive together', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();

    await Promise.all([decider.ask(aSubmit(1)), decider.ask(aSubmit(2)), decider.ask(aSubmit(3))]);

    expect(world.published).toHaveLength(1);
    expect(world.published[0]?.answers).toHaveLength(3);
  });

  test('a decider decides commands that arrive during a decision right after it', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    let later: Promise<unknown> = Promise.resolve();
    world.next('commit', (real) => {
      later = decider.ask(aSubmit(2));
      return real();
    });

    await decider.ask(aSubmit(1));
    await later;

    expect(world.published.map(({ answers }) => answers.length)).toEqual([1, 1]);
  });

  test('a command is answered at whatever step of a decision it arrives', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const world = await engineWorld();
      const decider = world.deciderOf();
      const first = decider.ask(aSubmit(1));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();

      const answers = await inTime(Promise.all([first, decider.ask(aSubmit(2))]));

      expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
    }
  });

  test('a command that arrives while a decision fails is decided', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    let later: Promise<unknown> = Promise.resolve();
    world.next('load', async () => {
      later = decider.ask(aSubmit(2));
      throw new Error('connection lost');
    });

    await expect(decider.ask(aSubmit(1))).rejects.toThrow('connection lost');
    expect(await inTime(later)).toMatchObject({ ok: true });
  });

  test('a lost race is decided again on the state of the winner', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    world.next('commit', async (real) => {
      await world.rival({ writes: someWrites({ submissions: [aSubmission(2)] }) });
      return real();
    });

    await decider.ask(aSubmit(1));

    expect((await rowsOf(world)).items.map(({ pr }) => pr).sort()).toEqual([1, 2]);
    expect(world.published).toHaveLength(1);
    const seen = await decider.see({ prs: [], inputIds: [] }, (loaded) => loaded);
    expect([...(seen?.state.byPr.keys() ?? [])].sort()).toEqual([1, 2]);
  });

  test('an effect that cannot be withdrawn counts as in progress in the next try', async () => {
    const world = await engineWorld({ wanted: 'running' });
    const decider = world.deciderOf();
    await decider.ask(aSubmit(1));
    const built = (await world.memory.lease({ owner: 'x', forMs: 1_000, limit: 9 })).map(
      ({ effect }) => effect.type,
    );
    expect(built).toContain('build_candidate');

    const result = await decider.ask(aCancel(1));

    expect(result).toMatchObject({ ok: true, submission: { submission: { state: 'cancelled' } } });
    expect(world.published.at(-1)?.withdraw).toEqual([]);
  });

  test('effects noted as in progress are forgotten once a decision is committed', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    world.next('commit', async () => ({ kind: 'under_way', effects: [effectIdOf(1)] }));

    await decider.ask(aSubmit(1));

    expect(await decider.see({ prs: [], inputIds: [] }, ({ state }) => state.underWay.size)).toBe(0);
  });

  test.each([
    ['before', lostBefore],
    ['after', lostAfter],
  ])('a store answer lost %s the commit is resolved, and the command is executed once', async (_, lost) => {
    const world = await engineWorld();
    world.next('commit', lost);

    const result = await world.deciderOf().ask(aSubmit(1));

    expect(result).toMatchObject({ ok: true, submission: { submission: { pr: 1, attempt: 1 } } });
    const { items } = await world.memory.history({
      queueIds: [queueIdOf(1)],
      types: ['commanded'],
      order: 'oldest_first',
      limit: 9,
    });
    expect(items).toHaveLength(1);
  });

  test('an outcome that stays unknown is reported to the caller, and the next command is decided', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    world.next('commit', lostBefore, lostBefore, lostBefore, lostBefore);

    await expect(decider.ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);

    expect(await decider.ask(aSubmit(1))).toMatchObject({ ok: true });
  });

  test('the error of a read-only store reaches the caller', async () => {
    const world = await engineWorld();
    const full = async () => {
      throw new MergeQueueError('STORE_UNREACHABLE', 'The disk is full.');
    };
    world.next('commit', full, full, full, full);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  });

  test('a decision with an unknown outcome is tried three times', async () => {
    const world = await engineWorld();
    world.next('commit', lostBefore, lostBefore, lostBefore);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
    expect((await rowsOf(world)).items).toEqual([]);
  });

  test('the error of a resolved commit is not the cause of a later failure', async () => {
    const world = await engineWorld();
    const full = async () => {
      throw new MergeQueueError('STORE_UNREACHABLE', 'The disk is full.');
    };
    world.next('commit', full, ...Array.from({ length: 99 }, () => async () => ({ kind: 'conflict' })));

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
  });

  test('the error of an unreadable store reaches the caller', async () => {
    const world = await engineWorld();
    world.next('load', lostBefore);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow('connection lost');
  });

  test('a decision that keeps losing races fails', async () => {
    const world = await engineWorld();
    world.next('commit', ...Array.from({ length: 100 }, () => async () => ({ kind: 'conflict' })));

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
  });

  test('a command decided elsewhere gets the first answer, and is refused under another digest', async () => {
    const world = await engineWorld();
    const first = await world.deciderOf().ask(aSubmit(1, inputIdOf(7), 'a'));
    const elsewhere = world.deciderOf();

    expect(await elsewhere.ask(aSubmit(1, inputIdOf(7), 'a'))).toEqual(first);
    expect(refusalOf(await elsewhere.ask(aSubmit(1, inputIdOf(7), 'b')))).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('a command for a missing queue is refused', async () => {
    const world = await engineWorld();

    expect(refusalOf(await world.deciderOf(queueIdOf(9)).ask(aSubmit(1)))).toBe('QUEUE_NOT_FOUND');
    expect(await world.deciderOf(queueIdOf(9)).see({ prs: [], inputIds: [] }, () => 'it')).toBeNull();
  });

  test('a decider consumes each fact of the inbox once', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    await world.memory.push(queueIdOf(1), [aFact(1)]);

    await decider.run();
    const left = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(left?.inbox).toEqual([]);
    expect(left?.queue.polls.pullRequests).toMatchObject({ dueAt: BUILT_AT });
  });

  test('the time of a decision is never before the last decision', async () => {
    const world = await engineWorld({ decidedAt: BUILT_AT + 5_000 });
    const decider = world.deciderOf();

    await decider.ask(aSubmit(1));

    expect(world.published[0]?.writes.queue?.decidedAt).toBe(BUILT_AT + 5_000);
    expect((await rowsOf(world)).items[0]?.submittedAt).toBe(BUILT_AT + 5_000);
  });
});

describe('an input that breaks a rule', () => {
  const poison = {
    id: inputIdOf(50),
    effectId: effectIdOf(1),
    type: 'pull_requests_seen',
    pulls: null,
    missing: [],
  } as unknown as Fact;
  const asked = { asked: effectIdOf(1), upTo: null, askedAt: BUILT_AT, again: false, dueAt: BUILT_AT };

  test('a fact that makes the decision throw is ignored with an alarm, and the queue pauses', async () => {
    const base = await engineWorld();
    const polls = (await base.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] }))?.queue.polls;
    const world = await engineWorld({ polls: { ...polls!, pullRequests: asked } });
    await world.memory.push(queueIdOf(1), [poison, { ...aFact(2), type: 'noticed', what: 'branch' } as Fact]);

    const result = await world.deciderOf().ask(aSubmit(1));

    expect(result).toMatchObject({ ok: true, submission: { submission: { pr: 1 } } });
    const { items } = await world.memory.history({
      queueIds: [queueIdOf(1)],
      types: ['alarm'],
      order: 'oldest_first',
      limit: 9,
    });
    expect(items).toMatchObject([
      { code: 'POISONED_INPUT', sentence: expect.stringContaining(`pull_requests_seen ${inputIdOf(50)}`) },
    ]);
    const left = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(left?.inbox).toEqual([]);
    expect(left?.queue.sequence).toBe(items[0]?.sequence);
    expect(left?.queue).toMatchObject({
      wanted: 'paused',
      statusReason: { code: 'POISONED_INPUT' },
      polls: { pullRequests: { asked: null } },
    });
  });

  test('a command that makes the decision throw is refused', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();

    const [bad, good] = await Promise.all([
      decider.ask({
        id: inputIdOf(9),
        actor: anActor,
        digest: null,
        type: 'set_impacted_targets',
        pr: 1,
        head: null as never,
        targets: 5 as never,
        source: 'trusted',
      }),
      decider.ask(aSubmit(2)),
    ]);

    expect(refusalOf(bad)).toBe('COMMAND_BROKEN');
    expect(good).toMatchObject({ ok: true });
  });

  test('a state that makes the decision throw pauses the queue with the reason', async () => {
    const world = await engineWorld({ wanted: 'running' });
    await world.rival({
      writes: someWrites({ submissions: [aSubmission(1, { pull: null as never, head: null as never })] }),
    });

    await world.deciderOf().run();

    const left = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(left?.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'POISONED_INPUT' } });
  });
});
