import { ANSWERS_KEPT_MS, type Commit, type CommitOutcome } from '@mq/core';
import {
  aCommit,
  aFact,
  anAnswer,
  anEffect,
  anEndedSubmission,
  aSubmission,
  aTargetBook,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import {
  type ContractTests,
  idsOf,
  lease,
  leaseOne,
  loaded,
  noRecall,
  numbers,
  open,
  tryToWrite,
  write,
} from './world.js';

const absent: NonNullable<Commit['absent']> = {
  prs: [1, 2],
  inputIds: [1, 2].map(inputIdOf),
  commits: [1, 2].map(commitIdOf),
};

const nothing = { submissions: [], targets: [], answers: [], commits: [] };

const presentIn = (outcome: CommitOutcome) => (outcome.kind === 'present' ? outcome.recalled : outcome.kind);

/** Commits that are refused if a row exists that they assume to be absent. */
export const absence: ContractTests = {
  'a commit goes through if no row exists that it assumes to be absent': async (world) => {
    await open(world);
    await write(world, {
      id: commitIdOf(9),
      recallable: true,
      writes: someWrites({ submissions: [aSubmission(3)], targets: [aTargetBook(3)] }),
      answers: [anAnswer(3)],
    });
    const writes = someWrites({ submissions: [aSubmission(1)] });
    world.expect((await tryToWrite(world, { absent, writes })).kind).toBe('committed');
    world.expect(idsOf((await loaded(world)).submissions).length).toBe(2);
  },

  'a commit that assumes no row to be absent goes through, whatever rows exist': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [aSubmission(1)] }) });
    world.expect((await tryToWrite(world, { absent: null })).kind).toBe('committed');
    world.expect((await tryToWrite(world, { absent: noRecall })).kind).toBe('committed');
  },

  'a commit that assumes a known pull request to be absent gets its last submission, live or ended': async (
    world,
  ) => {
    await open(world);
    const [ended, live] = [anEndedSubmission(1), aSubmission(2)];
    await write(world, { writes: someWrites({ submissions: [ended, live] }) });
    for (const [pr, submission] of [ended, live].entries())
      world
        .expect(presentIn(await tryToWrite(world, { absent: { ...noRecall, prs: [pr + 1, 7] } })))
        .toEqual({ ...nothing, submissions: [submission] });
  },

  'a commit that assumes a pull request to be absent gets its impacted targets, even if it was never submitted':
    async (world) => {
      await open(world);
      await write(world, { writes: someWrites({ targets: [aTargetBook(1, ['//odd "text" \u0000'])] }) });
      world
        .expect(presentIn(await tryToWrite(world, { absent })))
        .toEqual({ ...nothing, targets: [aTargetBook(1, ['//odd "text" \u0000'])] });
    },

  'a commit that assumes an answer to be absent gets it, from any queue, for as long as answers are kept':
    async (world) => {
      await open(world);
      await open(world, { id: queueIdOf(2), branch: 'next' });
      await write(world, { queueId: queueIdOf(2), answers: [anAnswer(1)] });
      world
        .expect(presentIn(await tryToWrite(world, { absent })))
        .toEqual({ ...nothing, answers: [anAnswer(1)] });
      await world.passTime(ANSWERS_KEPT_MS);
      world.expect((await tryToWrite(world, { absent })).kind).toBe('committed');
    },

  'a commit that assumes a recallable commit to be absent gets its id': async (world) => {
    await open(world);
    await write(world, { id: commitIdOf(1), recallable: true });
    world
      .expect(presentIn(await tryToWrite(world, { id: commitIdOf(5), absent })))
      .toEqual({ ...nothing, commits: [commitIdOf(1)] });
  },

  'a pull request of another queue counts as absent': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    const writes = someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(2)] });
    await write(world, { queueId: queueIdOf(2), writes });
    world.expect((await tryToWrite(world, { absent })).kind).toBe('committed');
  },

  'a commit refused for a present row returns what a load would recall, and leaves no trace': async (
    world,
  ) => {
    const { store, expect } = world;
    await open(world);
    await write(world, {
      id: commitIdOf(1),
      recallable: true,
      writes: someWrites({ submissions: [aSubmission(1)], targets: [aTargetBook(1)] }),
      answers: [anAnswer(2)],
      effects: [anEffect(1)],
    });
    await store.push(queueIdOf(1), [aFact(2)]);
    const held = await leaseOne(world);
    const before = await loaded(world, 0, absent);
    const outcome = await tryToWrite(world, {
      absent,
      id: commitIdOf(7),
      recallable: true,
      writes: someWrites({ submissions: [aSubmission(2)] }),
      effects: [anEffect(50)],
      answers: [anAnswer(5)],
      consumed: [inputIdOf(2)],
      settled: [held],
    });
    expect(presentIn(outcome)).toEqual(before.recalled);
    const after = await loaded(world, 0, { ...absent, commits: [1, 7].map(commitIdOf) });
    expect([after.version, after.submissions, after.inbox]).toEqual([2, before.submissions, [aFact(2)]]);
    expect(after.recalled.commits).toEqual([commitIdOf(1)]);
    expect(await store.answers([inputIdOf(5)])).toEqual([]);
    expect(await lease(world)).toEqual([]);
    expect(await store.settle(held, [])).toBe(true);
  },

  'a commit is refused for its version first, then for present rows, then for lost leases': async (world) => {
    const { store, expect } = world;
    await open(world);
    const writes = someWrites({ submissions: [aSubmission(1)] });
    await write(world, { writes, effects: [anEffect(1)] });
    const held = await leaseOne(world);
    await store.settle(held, []);
    const late = aCommit({ expected: 1, absent, settled: [held] });
    expect(await store.commit(late)).toEqual({ kind: 'conflict' });
    expect(presentIn(await tryToWrite(world, { absent, settled: [held] }))).toEqual({
      ...nothing,
      submissions: [aSubmission(1)],
    });
  },

  'one of many concurrent commits that assume each other to be absent goes through': async (world) => {
    await open(world);
    const { version } = await loaded(world);
    const outcomes = await Promise.all(
      numbers(20).map((n) =>
        world.store.commit(
          aCommit({
            id: commitIdOf(100 + n),
            expected: version,
            absent,
            writes: someWrites({ submissions: [aSubmission(1)] }),
          }),
        ),
      ),
    );
    world.expect(outcomes.filter(({ kind }) => kind === 'committed').length).toBe(1);
    world.expect(outcomes.filter(({ kind }) => kind === 'conflict').length).toBe(19);
  },
};
