import { ANSWERS_KEPT_MS, type Answer, type Queue } from '@mq/core';
import {
  aCommit,
  anAnswer,
  aQueue,
  aSubmission,
  aTargetBook,
  commitIdOf,
  inputIdOf,
  queueIdOf,
  someWrites,
} from '../builders.js';
import { type ContractTests, loaded, open, write } from './world.js';

export const answers: ContractTests = {
  'answers are found by the ids of their inputs': async (world) => {
    await open(world);
    await write(world, { answers: [anAnswer(1), anAnswer(2)] });
    await write(world, { answers: [anAnswer(3)] });
    world.expect(await world.store.answers([3, 8].map(inputIdOf))).toEqual([anAnswer(3)]);
    const both = await world.store.answers([inputIdOf(1), inputIdOf(2), inputIdOf(1)]);
    world.expect(both.length).toBe(2);
    world.expect(await world.store.answers([])).toEqual([]);
  },

  'an answer is stored unchanged': async (world) => {
    await open(world);
    const targets = aTargetBook(1, ['//a', '//b']).sets[0] ?? null;
    const answer = {
      inputId: inputIdOf(1),
      digest: 'd1',
      result: { ok: true, queue: aQueue(), submission: null, targets },
    } as const;
    await write(world, { answers: [answer] });
    await write(world, {
      writes: someWrites({ submissions: [aSubmission(1)], queue: aQueue({ lastPlace: 5 }) }),
    });
    world.expect(await world.store.answers([inputIdOf(1)])).toEqual([answer]);
  },

  'each answer of a commit is stored with its own state of the queue': async (world) => {
    await open(world);
    const later = aQueue({ lastPlace: 5 });
    const showing = (ordinal: number, queue: Queue): Answer => {
      const result = { ok: true, queue, submission: null, targets: null } as const;
      return { inputId: inputIdOf(ordinal), digest: null, result };
    };
    const answers = [showing(1, aQueue()), showing(2, later), showing(3, later), anAnswer(4)];
    await write(world, { answers });
    for (const [at, answer] of answers.entries())
      world.expect(await world.store.answers([inputIdOf(at + 1)])).toEqual([answer]);
  },

  'the first answer to an input is never replaced': async (world) => {
    await open(world);
    await write(world, { answers: [anAnswer(2, 'first'), anAnswer(2, 'second')] });
    world.expect(await world.store.answers([inputIdOf(2)])).toEqual([anAnswer(2, 'first')]);
    await write(world, { answers: [anAnswer(1, 'first')] });
    await write(world, { answers: [anAnswer(1, 'second')] });
    world.expect(await world.store.answers([inputIdOf(1)])).toEqual([anAnswer(1, 'first')]);
  },

  'answers are kept for the time that the port names, and no longer': async (world) => {
    const { store, expect } = world;
    await open(world);
    await write(world, { answers: [anAnswer(1)] });
    await world.passTime(ANSWERS_KEPT_MS - 60_000);
    await write(world, { answers: [anAnswer(2)] });
    expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1)]);
    await world.passTime(60_000);
    expect(await store.answers([1, 2].map(inputIdOf))).toEqual([anAnswer(2)]);
    const { recalled } = await loaded(world, 0, { inputIds: [1, 2].map(inputIdOf) });
    expect(recalled.answers).toEqual([anAnswer(2)]);
    await write(world, { answers: [anAnswer(1, 'asked again')] });
    expect(await store.answers([inputIdOf(1)])).toEqual([anAnswer(1, 'asked again')]);
  },

  'only recallable commits are recalled, whatever was committed since': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { id: commitIdOf(1), recallable: true, answers: [anAnswer(1)] });
    await write(world, { id: commitIdOf(2) });
    const { kind } = await world.store.commit(aCommit({ id: commitIdOf(3), recallable: true }));
    world.expect(kind).toBe('conflict');
    const asked = { commits: [1, 2, 3, 1].map(commitIdOf), inputIds: [inputIdOf(1)] };
    for (const id of [queueIdOf(1), queueIdOf(2)]) {
      const { recalled } = await loaded(world, 0, asked, id);
      world.expect(recalled.commits).toEqual([commitIdOf(1)]);
      world.expect(recalled.answers).toEqual([anAnswer(1)]);
    }
    world.expect((await loaded(world, 0, {})).recalled.commits).toEqual([]);
  },

  'a recallable commit is recalled for as long as answers are kept': async (world) => {
    await open(world);
    await write(world, { id: commitIdOf(1), recallable: true });
    await world.passTime(ANSWERS_KEPT_MS - 60_000);
    await write(world, { id: commitIdOf(2), recallable: true });
    const asked = { commits: [commitIdOf(1)] };
    world.expect((await loaded(world, 0, asked)).recalled.commits).toEqual([commitIdOf(1)]);
    await world.passTime(60_000);
    world.expect((await loaded(world, 0, asked)).recalled.commits).toEqual([]);
  },
};
