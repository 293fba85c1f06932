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

/** What it came to, or undefined where nothing more happens by itself. */
const inTime = <Value>(promise: Promise<Value>): Promise<Value | undefined> =>
  Promise.race([
    promise,
    new Promise<undefined>((resolve) => setImmediate(() => setImmediate(() => resolve(undefined)))),
  ]);

describe('a decider', () => {
  test('answers once the result is in the store', async () => {
    const world = await engineWorld();

    const result = await world.deciderOf().ask(aSubmit(1));

    expect(result).toMatchObject({ ok: true, submission: { submission: { pr: 1, state: 'pending' } } });
    expect((await rowsOf(world)).items.map(({ pr }) => pr)).toEqual([1]);
  });

  test('decides together what arrives together', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();

    await Promise.all([decider.ask(aSubmit(1)), decider.ask(aSubmit(2)), decider.ask(aSubmit(3))]);

    expect(world.published).toHaveLength(1);
    expect(world.published[0]?.answers).toHaveLength(3);
  });

  test('decides what arrives meanwhile right after', async () => {
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

  test('whoever asks at whatever moment of a decision is answered', async () => {
    for (let turns = 0; turns < 40; turns += 1) {
      const world = await engineWorld();
      const decider = world.deciderOf();
      const first = decider.ask(aSubmit(1));
      for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();

      const answers = await inTime(Promise.all([first, decider.ask(aSubmit(2))]));

      expect(answers).toMatchObject([{ ok: true }, { ok: true }]);
    }
  });

  test('a command that comes while a decision fails is decided all the same', async () => {
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

  test('a race that was lost is decided again, on what the other has written', async () => {
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

  test('a wish that cannot be taken back is left alone: it is decided again as under way', async () => {
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

  test('what is under way at one decision is forgotten once it is committed', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    world.next('commit', async () => ({ kind: 'under_way', effects: [effectIdOf(1)] }));

    await decider.ask(aSubmit(1));

    expect(await decider.see({ prs: [], inputIds: [] }, ({ state }) => state.underWay.size)).toBe(0);
  });

  test.each([
    ['before', lostBefore],
    ['after', lostAfter],
  ])(
    'an answer of the store that is lost %s the commit is found out, and the command is done once',
    async (_, lost) => {
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
    },
  );

  test('a store that stays unclear is told to the caller, and the next command is decided', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    world.next('commit', lostBefore, lostBefore, lostBefore, lostBefore);

    await expect(decider.ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);

    expect(await decider.ask(aSubmit(1))).toMatchObject({ ok: true });
  });

  test('a store that can be read and takes no writes is told to the caller in its own words', async () => {
    const world = await engineWorld();
    const full = async () => {
      throw new MergeQueueError('STORE_UNREACHABLE', 'The disk is full.');
    };
    world.next('commit', full, full, full, full);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' });
  });

  test('a decision is tried three times on a store that stays unclear, and no oftener', async () => {
    const world = await engineWorld();
    world.next('commit', lostBefore, lostBefore, lostBefore);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
    expect((await rowsOf(world)).items).toEqual([]);
  });

  test('what the store said of a commit that is clear by now is not the reason for what fails later', async () => {
    const world = await engineWorld();
    const full = async () => {
      throw new MergeQueueError('STORE_UNREACHABLE', 'The disk is full.');
    };
    world.next('commit', full, ...Array.from({ length: 99 }, () => async () => ({ kind: 'conflict' })));

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
  });

  test('a caller hears of a store that cannot be read', async () => {
    const world = await engineWorld();
    world.next('load', lostBefore);

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow('connection lost');
  });

  test('races that are lost for ever end', async () => {
    const world = await engineWorld();
    world.next('commit', ...Array.from({ length: 100 }, () => async () => ({ kind: 'conflict' })));

    await expect(world.deciderOf().ask(aSubmit(1))).rejects.toThrow(/outcome of a commit is unknown/);
  });

  test('a command that was decided elsewhere gets the first answer; under another digest it is refused', async () => {
    const world = await engineWorld();
    const first = await world.deciderOf().ask(aSubmit(1, inputIdOf(7), 'a'));
    const elsewhere = world.deciderOf();

    expect(await elsewhere.ask(aSubmit(1, inputIdOf(7), 'a'))).toEqual(first);
    expect(refusalOf(await elsewhere.ask(aSubmit(1, inputIdOf(7), 'b')))).toBe('IDEMPOTENCY_KEY_REUSED');
  });

  test('a queue that does not exist answers so', async () => {
    const world = await engineWorld();

    expect(refusalOf(await world.deciderOf(queueIdOf(9)).ask(aSubmit(1)))).toBe('QUEUE_NOT_FOUND');
    expect(await world.deciderOf(queueIdOf(9)).see({ prs: [], inputIds: [] }, () => 'it')).toBeNull();
  });

  test('takes facts from the inbox, each once', async () => {
    const world = await engineWorld();
    const decider = world.deciderOf();
    await world.memory.push(queueIdOf(1), [aFact(1)]);

    await decider.run();
    const left = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(left?.inbox).toEqual([]);
    expect(left?.queue.polls.pullRequests).toMatchObject({ dueAt: BUILT_AT });
  });

  test('time never goes back behind the last decision', async () => {
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

  test('is set aside with an alarm, and the queue pauses for the question that it leaves open', async () => {
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

  test('is refused where it is a command', async () => {
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

  test('a state that breaks a rule by itself pauses the queue with the reason', async () => {
    const world = await engineWorld({ wanted: 'running' });
    await world.rival({
      writes: someWrites({ submissions: [aSubmission(1, { pull: null as never, head: null as never })] }),
    });

    await world.deciderOf().run();

    const left = await world.memory.load(queueIdOf(1), 0, { prs: [], inputIds: [] });
    expect(left?.queue).toMatchObject({ wanted: 'paused', statusReason: { code: 'POISONED_INPUT' } });
  });
});
