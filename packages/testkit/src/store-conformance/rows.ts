import type { Submission } from '@mq/core';
import { aFact, anEffect, anEndedSubmission, aSubmission, queueIdOf, someWrites } from '../builders.js';
import { leaseOne, loaded, open, type Promises, write } from './world.js';

/** Changes a row in place; a store may have made that impossible, which is as good. */
const meddle = (row: Submission): void => {
  try {
    Object.assign(row, { retries: 99 });
    Object.assign(row.pull, { title: 'changed behind its back' });
  } catch {
    // It was frozen.
  }
};

export const rows: Promises = {
  'a row changed by its giver afterwards is not changed in the store': async (world) => {
    await open(world);
    const given = structuredClone(aSubmission(1));
    await write(world, { writes: someWrites({ submissions: [given] }) });
    meddle(given);
    world.expect((await loaded(world)).submissions).toEqual([aSubmission(1)]);
  },

  'a row changed by its taker is not changed in the store': async (world) => {
    await open(world);
    await write(world, { writes: someWrites({ submissions: [structuredClone(aSubmission(1))] }) });
    for (const taken of (await loaded(world)).submissions) meddle(taken);
    for (const taken of (await world.store.submissions({ queueId: queueIdOf(1), limit: 9 })).items)
      meddle(taken);
    world.expect((await loaded(world)).submissions).toEqual([aSubmission(1)]);
  },

  'fields that the store does not know are kept': async (world) => {
    await open(world);
    const submission = { ...anEndedSubmission(1), later: { release: 2 } };
    const fact = { ...aFact(1), later: [1, { deep: 'yes' }] };
    const effect = { ...anEffect(1), later: 'a field of the next release' };
    await write(world, { writes: someWrites({ submissions: [submission] }), effects: [effect] });
    await world.store.push(queueIdOf(1), [fact]);
    const delta = await loaded(world, 1);
    world.expect([delta.submissions, delta.inbox]).toEqual([[submission], [fact]]);
    world.expect((await leaseOne(world)).effect).toEqual(effect);
  },

  'texts are kept as they are': async (world) => {
    const text = 'ä – "quoted" \\ \'single\' %s $1 \u{1F600}\n\tend; --';
    await open(world, { branch: text });
    const submission = aSubmission(1, { reasonDetail: text });
    await write(world, { writes: someWrites({ submissions: [submission] }) });
    const delta = await loaded(world);
    world.expect([delta.queue.branch, delta.submissions]).toEqual([text, [submission]]);
  },
};
