import type { QueueDelta, Submission, TargetBook, TestRun } from '@mq/core';
import {
  aClosedRun,
  aFact,
  aMove,
  anAnswer,
  anEndedSubmission,
  aQueue,
  aRun,
  aSubmission,
  aTargetBook,
  BUILT_AT,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import {
  type ContractTests,
  idsOf,
  loaded,
  noRecall,
  numbers,
  open,
  sorted,
  type World,
  write,
} from './world.js';

/** The state of a queue in memory, updated by deltas as the engine does it. */
interface Replica {
  version: number;
  readonly submissions: Map<string, Submission>;
  readonly runs: Map<string, TestRun>;
  readonly targets: Map<number, TargetBook>;
}

const emptyReplica = (): Replica => ({
  version: 0,
  submissions: new Map(),
  runs: new Map(),
  targets: new Map(),
});

const isOver = ({ state }: Submission): boolean => ['merged', 'failed', 'cancelled'].includes(state);

const catchUp = async (world: World, replica: Replica): Promise<void> => {
  const delta = await loaded(world, replica.version);
  for (const row of delta.submissions) {
    if (!isOver(row)) replica.submissions.set(row.id, row);
    else if (replica.submissions.delete(row.id)) replica.targets.delete(row.pr);
  }
  for (const row of delta.runs)
    if (row.closedAt === null) replica.runs.set(row.id, row);
    else replica.runs.delete(row.id);
  for (const book of delta.targets) replica.targets.set(book.pr, book);
  replica.version = delta.version;
};

const contentsOf = (replica: Replica) => ({
  version: replica.version,
  submissions: byKey(replica.submissions),
  runs: byKey(replica.runs),
  targets: byKey(replica.targets),
});

const byKey = <Key extends string | number, Row>(rows: ReadonlyMap<Key, Row>) =>
  sorted([...rows.keys()]).map((key) => [key, rows.get(key)]);

/** The result of a load without the time, in a fixed order. */
const timeless = ({ now: _, submissions, runs, targets, ...rest }: QueueDelta) => ({
  ...rest,
  submissions: byName(submissions, ({ id }) => id),
  runs: byName(runs, ({ id }) => id),
  targets: byName(targets, ({ pr }) => String(pr)),
});

const byName = <Row>(rows: readonly Row[], nameOf: (row: Row) => string): readonly Row[] =>
  [...rows].sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));

export const deltas: ContractTests = {
  'a load since the current version returns no rows': async (world) => {
    const queue = await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)], runs: [aRun(1)] }) });
    const { now: _, incarnation: __, ...delta } = await loaded(world, 2);
    world.expect(delta).toEqual({
      version: 2,
      queue,
      submissions: [],
      runs: [],
      targets: [],
      inbox: [],
      recalled: { submissions: [], targets: [], answers: [], commits: [] },
    });
  },

  'a load since a future version returns no rows': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)], runs: [aRun(1)] }) });
    const delta = await loaded(world, Number.MAX_SAFE_INTEGER, { prs: [1] });
    world.expect([delta.version, delta.submissions, delta.runs]).toEqual([2, [], []]);
    world.expect(delta.recalled.submissions).toEqual([aSubmission(1)]);
  },

  'a load since a version returns the rows changed after it, including ended ones, and no others': async (
    world,
  ) => {
    await open(world);
    const all = numbers(4);
    await write(world, {
      writes: someWrites({
        submissions: all.map((n) => aSubmission(n)),
        runs: all.map((n) => aRun(n)),
        targets: all.map((n) => aTargetBook(n)),
      }),
    });
    await write(world, {
      writes: someWrites({ submissions: [anEndedSubmission(1)], runs: [aClosedRun(2)] }),
    });
    await write(world, { writes: someWrites({ targets: [aTargetBook(3, ['//new'])] }) });
    const delta = await loaded(world, 2);
    world
      .expect([delta.version, delta.submissions, delta.runs, delta.targets])
      .toEqual([4, [anEndedSubmission(1)], [aClosedRun(2)], [aTargetBook(3, ['//new'])]]);
    const last = await loaded(world, 3);
    world.expect([last.submissions, last.runs, last.targets.length]).toEqual([[], [], 1]);
  },

  'a load returns a row that changed several times once, in its current state': async (world) => {
    await open(world);
    for (const retries of [1, 2, 3])
      await write(world, { writes: someWrites({ submissions: [aSubmission(1, { retries })] }) });
    for (const since of [0, 1, 2, 3])
      world.expect((await loaded(world, since)).submissions).toEqual([aSubmission(1, { retries: 3 })]);
  },

  'a load since an old version returns rows that changed long ago': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)] }) });
    for (const retries of numbers(200))
      await write(world, { writes: someWrites({ submissions: [aSubmission(2, { retries })] }) });
    const changed = (await loaded(world, 1)).submissions;
    world.expect(sorted(changed.map(({ pr }) => pr))).toEqual([1, 2]);
  },

  'concurrent loads of several queues return the same as single loads': async (world) => {
    const { store, expect } = world;
    for (const n of [1, 2, 3, 4]) {
      const queueId = queueIdOf(n);
      await open(world, { id: queueId, branch: `branch-${n}` });
      for (const m of numbers(n)) {
        const rows = {
          submissions: [aSubmission(m), anEndedSubmission(m + 10)],
          runs: [aRun(m), aClosedRun(m + 10)],
          targets: [aTargetBook(m, [`//${n}`])],
        };
        await write(world, { queueId, writes: someWrites(rows) });
      }
      await store.push(queueId, [aFact(2 * n), aFact(n)]);
    }
    await write(world, {
      queueId: queueIdOf(3),
      writes: someWrites({ queue: aQueue({ id: queueIdOf(3), branch: 'branch-3', deletedAt: BUILT_AT }) }),
    });
    const asked = [4, 1, 2, 3, 5, 4, 2].flatMap((n) =>
      [0, n, 3, 0].map((since) => () => store.load(queueIdOf(n), since, noRecall)),
    );
    const alone: (QueueDelta | null)[] = [];
    for (const ask of asked) alone.push(await ask());
    const compared = (deltas: readonly (QueueDelta | null)[]) =>
      deltas.map((delta) => delta && timeless(delta));
    expect(compared(await Promise.all(asked.map((ask) => ask())))).toEqual(compared(alone));
    expect(alone.filter((delta) => delta === null).length).toBe(8);
  },

  'a changed submission does not return unchanged impacted targets again': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(1)] }) });
    await write(world, { writes: someWrites({ submissions: [aSubmission(1, { retries: 1 })] }) });
    world.expect((await loaded(world, 2)).targets).toEqual([]);
  },

  'a load from version 0 does not return rows that have ended': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)], runs: [aRun(1)] }) });
    await write(world, {
      writes: someWrites({ submissions: [anEndedSubmission(1)], runs: [aClosedRun(1)] }),
    });
    const delta = await loaded(world, 0);
    world.expect([delta.submissions, delta.runs]).toEqual([[], []]);
  },

  'a load from version 0 returns open test runs in the order of their creation': async (world) => {
    await open(world);
    const [first, second] = [aRun(1, { createdAt: 1 }), aRun(2, { createdAt: 2 })];
    await write(world, { writes: someWrites({ runs: [first, second] }) });
    await write(world, { writes: someWrites({ runs: [first] }) });
    world.expect((await loaded(world, 0)).runs.map(({ id }) => id)).toEqual([first.id, second.id]);
  },

  'a load from version 0 returns live rows only': async (world) => {
    await open(world);
    await write(world, {
      writes: someWrites({
        submissions: [aSubmission(1), anEndedSubmission(2)],
        runs: [aRun(1), aClosedRun(2)],
        targets: [1, 2, 3].map((pr) => aTargetBook(pr)),
      }),
    });
    const delta = await loaded(world, 0);
    world
      .expect([delta.submissions, delta.runs, delta.targets])
      .toEqual([[aSubmission(1)], [aRun(1)], [aTargetBook(1)]]);
  },

  'impacted targets written before their pull request are returned when it becomes live': async (world) => {
    await open(world);
    await write(world, {
      writes: someWrites({ targets: [aTargetBook(1)], submissions: [anEndedSubmission(2)] }),
    });
    await write(world, { writes: someWrites({ targets: [aTargetBook(2)] }) });
    world.expect((await loaded(world, 1)).targets).toEqual([]);
    await write(world, {
      writes: someWrites({ submissions: [aSubmission(1), aSubmission(2, { attempt: 2 })] }),
    });
    const returned = (await loaded(world, 3)).targets;
    world.expect(sorted(returned.map(({ pr }) => pr))).toEqual([1, 2]);
  },

  'a load recalls exactly the requested rows, live or not': async (world) => {
    await open(world);
    await write(world, {
      writes: someWrites({
        submissions: [aSubmission(1), anEndedSubmission(2), aSubmission(3)],
        targets: [1, 2, 3, 4].map((pr) => aTargetBook(pr)),
      }),
      answers: [anAnswer(1), anAnswer(2)],
    });
    const { recalled } = await loaded(world, 2, { prs: [4, 2, 1, 9, 1], inputIds: [2, 7].map(inputIdOf) });
    world
      .expect({
        submissions: sorted(recalled.submissions.map(({ pr }) => pr)),
        targets: sorted(recalled.targets.map(({ pr }) => pr)),
        answers: recalled.answers,
      })
      .toEqual({ submissions: [1, 2], targets: [1, 2, 4], answers: [anAnswer(2)] });
    world.expect(recalled.submissions.find(({ pr }) => pr === 2)).toEqual(anEndedSubmission(2));
  },

  'an answer is recalled by a load of any queue': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { answers: [anAnswer(1)] });
    const delta = await loaded(world, 0, { inputIds: [inputIdOf(1)] }, queueIdOf(2));
    world.expect(delta.recalled.answers).toEqual([anAnswer(1)]);
  },

  'replicas that catch up at different times hold the same rows as a new one': async (world) => {
    await open(world);
    const replicas = [emptyReplica(), emptyReplica(), emptyReplica()];
    for (const step of numbers(120)) {
      const pr = 1 + ((step * 7) % 11);
      const ends = step % 3 === 0;
      const change = { retries: step, stateSince: step };
      await write(world, {
        writes: someWrites({
          submissions: [ends ? anEndedSubmission(pr, change) : aSubmission(pr, change)],
          runs: [step % 4 === 0 ? aClosedRun(pr) : aRun(pr, { landed: [step] })],
          targets: step % 5 === 0 ? [aTargetBook(1 + (step % 11), [`//t${step}`])] : [],
          history: [aMove(step)],
        }),
      });
      for (const [index, replica] of replicas.entries())
        if (step % (1 + index * 8) === 0) await catchUp(world, replica);
    }
    const fresh = emptyReplica();
    await catchUp(world, fresh);
    for (const replica of replicas) {
      await catchUp(world, replica);
      world.expect(contentsOf(replica)).toEqual(contentsOf(fresh));
    }
    world.expect(idsOf([...fresh.submissions.values()]).length > 3).toBe(true);
  },
};
