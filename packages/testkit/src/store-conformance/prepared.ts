import type { Commit, CommitOutcome } from '@mq/core';
import {
  aCommit,
  aFact,
  anEffect,
  aRun,
  aSubmission,
  commitIdOf,
  queueIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { lease, loaded, open, type Promises, type World, write } from './world.js';

/** A commit that the store was told of; a store need not listen. */
const prepared = ({ store }: World, override: Partial<Commit>): (() => Promise<CommitOutcome>) => {
  const commit = aCommit(override);
  store.prepare?.(commit);
  return () => store.commit(commit);
};

const trial = { ref: 'trials/1', commit: shaOf(7), tree: shaOf(8), steps: [] };

export const preparedCommits: Promises = {
  'a commit that is prepared and never sent writes nothing and holds nothing up': async (world) => {
    await open(world);
    prepared(world, {
      expected: 1,
      writes: someWrites({ submissions: [aSubmission(1)] }),
      effects: [anEffect(1)],
    });
    world.expect((await loaded(world)).submissions).toEqual([]);
    world.expect(await lease(world)).toEqual([]);
    world.expect(await write(world)).toBe(2);
  },

  'a commit may be prepared before the one it stands on has been sent': async (world) => {
    await open(world);
    const first = prepared(world, {
      id: commitIdOf(1),
      expected: 1,
      writes: someWrites({ submissions: [aSubmission(1)], runs: [aRun(1)] }),
    });
    const changed = aRun(1, { state: 'testing', trial });
    const second = prepared(world, {
      id: commitIdOf(2),
      expected: 2,
      writes: someWrites({ submissions: [aSubmission(2)], runs: [changed] }),
      effects: [anEffect(1)],
    });
    const kinds = [(await first()).kind, (await second()).kind];
    world.expect(kinds).toEqual(['committed', 'committed']);
    const delta = await loaded(world);
    world.expect([delta.version, delta.submissions.map(({ pr }) => pr).sort()]).toEqual([3, [1, 2]]);
    world.expect(delta.runs).toEqual([changed]);
    world.expect((await lease(world)).map(({ effect }) => effect)).toEqual([anEffect(1)]);
  },

  'a commit that was prepared is refused where somebody else was faster': async (world) => {
    await open(world);
    const send = prepared(world, { expected: 1, writes: someWrites({ submissions: [aSubmission(1)] }) });
    await write(world);
    world.expect(await send()).toEqual({ kind: 'conflict' });
    world.expect((await loaded(world)).submissions).toEqual([]);
  },

  'a commit that was prepared takes nothing for absent that has come since': async (world) => {
    await open(world);
    const absent = { prs: [7], inputIds: [] };
    const second = prepared(world, { id: commitIdOf(2), expected: 2, absent });
    await write(world, { writes: someWrites({ submissions: [aSubmission(7)] }) });
    world.expect((await second()).kind).toBe('present');
  },

  'facts that came since a commit was prepared still wait after it': async (world) => {
    await open(world);
    const send = prepared(world, { expected: 1, wakeAt: null });
    await world.store.push(queueIdOf(1), [aFact(2)]);
    world.expect((await send()).kind).toBe('committed');
    world.expect((await loaded(world)).inbox).toEqual([aFact(2)]);
    world.expect(await world.store.due({ forMs: 1_000, limit: 9 })).toEqual([queueIdOf(1)]);
  },
};
