import type { Fact, HistoryRow, Writes } from '@mq/core';
import {
  aFact,
  aMove,
  anAnswer,
  anEffect,
  aQueue,
  aRepo,
  aRun,
  aSubmission,
  aTargetBook,
  aVerdict,
  effectIdOf,
  inputIdOf,
  queueIdOf,
  runIdOf,
  shaOf,
  someWrites,
} from '../builders.js';
import { aReceipt } from '../receipt-builders.js';
import { type ContractTests, leaseOne, loaded, open, type World, write } from './world.js';

const queueId = queueIdOf(1);
const tree = shaOf(1, 'd');

/** Rows with the same ids in each queue but other contents; the history is about another pull request in each. */
const ofQueue = (n: number): Writes =>
  someWrites({
    submissions: [aSubmission(1, { retries: n })],
    runs: [aRun(1, { landed: [n] })],
    targets: [aTargetBook(1, [`//${n}`])],
    history: [aMove(1, { pr: n })],
    receipts: [aReceipt({ queueId: queueIdOf(n), attempt: n })],
  });

/** Changes a value in place, at all depths. A store may have frozen it instead. */
const mutate = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const part of Object.values(value)) mutate(part);
  try {
    if (Array.isArray(value)) value.push('after the call');
    else Object.assign(value, { changed: 'after the call' });
  } catch {
    // Frozen.
  }
};

const later = { later: [{ release: 2 }] };

/** One row of each kind, each with a field of a later release. */
const ofEachKind = () =>
  structuredClone({
    writes: someWrites({
      queue: { ...aQueue(), ...later },
      submissions: [{ ...aSubmission(1), ...later }],
      runs: [{ ...aRun(1), ...later }],
      targets: [{ ...aTargetBook(1), ...later }],
      verdicts: [{ ...aVerdict(tree), ...later }],
      history: [{ ...aMove(1), ...later }],
    }),
    answers: [{ ...anAnswer(1), ...later }],
    effects: [{ ...anEffect(1), ...later }],
    facts: [{ ...aFact(9), ...later }],
  });

/** Every read of the port that returns these rows. */
const readEverywhere = async (world: World) => {
  const { store } = world;
  const delta = await loaded(world, 1, { prs: [1], inputIds: [inputIdOf(1)] });
  const { recalled } = delta;
  return {
    queue: [delta.queue, ...(await store.queues({ limit: 9 })).items],
    submissions: [
      delta.submissions,
      recalled.submissions,
      (await store.submissions({ queueId, limit: 9 })).items,
    ],
    runs: [delta.runs, [await store.run(queueId, runIdOf(1))]],
    targets: [delta.targets, recalled.targets],
    verdicts: await store.verdicts(aRepo, tree),
    history: (await store.history({ queueIds: [queueId], order: 'oldest_first', limit: 9 })).items,
    answers: [recalled.answers, await store.answers([inputIdOf(1)])],
    inbox: delta.inbox,
  };
};

const asWritten = ({ writes, answers, facts }: ReturnType<typeof ofEachKind>) => ({
  queue: [writes.queue, writes.queue],
  submissions: [writes.submissions, writes.submissions, writes.submissions],
  runs: [writes.runs, writes.runs],
  targets: [writes.targets, writes.targets],
  verdicts: writes.verdicts,
  history: writes.history.map((row) => ({ ...row, queueId })),
  answers: [answers, answers],
  inbox: facts,
});

/** Writes one row of each kind, and returns the objects passed to the store. */
const writeEachKind = async (world: World) => {
  const given = ofEachKind();
  const { facts, ...commit } = given;
  await open(world);
  await write(world, commit);
  await world.store.push(queueId, facts);
  return given;
};

export const rows: ContractTests = {
  'changing an object after it was written does not change the store': async (world) => {
    mutate(await writeEachKind(world));
    world.expect(await readEverywhere(world)).toEqual(asWritten(ofEachKind()));
    world.expect((await leaseOne(world)).effect).toEqual(ofEachKind().effects[0]);
  },

  'changing an object that was read does not change the store': async (world) => {
    await writeEachKind(world);
    mutate(await readEverywhere(world));
    const held = await leaseOne(world);
    await world.store.postpone(held, 0, 'unreachable');
    mutate(held.effect);
    world.expect(await readEverywhere(world)).toEqual(asWritten(ofEachKind()));
    world.expect((await leaseOne(world)).effect).toEqual(ofEachKind().effects[0]);
  },

  'unknown fields of rows are stored and returned': async (world) => {
    await writeEachKind(world);
    world.expect(await readEverywhere(world)).toEqual(asWritten(ofEachKind()));
    world.expect((await leaseOne(world)).effect).toEqual(ofEachKind().effects[0]);
  },

  'texts are stored unchanged': async (world) => {
    const text = 'ä – "quoted" \\ \'single\' %s $1 \u{1F600}\n\tend; --';
    await open(world, { branch: text });
    const submission = aSubmission(1, { reasonDetail: text });
    await write(world, { writes: someWrites({ submissions: [submission] }) });
    const delta = await loaded(world);
    world.expect([delta.queue.branch, delta.submissions]).toEqual([text, [submission]]);
  },

  'NUL and lone surrogates are stored in every text that may come from a code host or a person': async (
    world,
  ) => {
    const { store, expect } = world;
    await open(world);
    const text = 'NUL \u0000, half a pair \ud83d, the other half \ude00';
    const alarm: HistoryRow = {
      ...{ type: 'alarm', code: 'HOST_REFUSED', sequence: 1, at: 1, settingsVersion: 1 },
      sentence: text,
    } as const;
    const answer = anAnswer(1, text);
    const fact: Fact = { id: inputIdOf(1), type: 'effect_delayed', effectId: effectIdOf(1), message: text };
    const others = [`${text}\u0000 and more`, text.replace('\ud83d', '\ud83e'), text.slice(0, 4)];
    const verdicts = [text, ...others].map((id) => aVerdict(tree, { id, source: text, summary: text }));
    const submission = aSubmission(1, { reasonDetail: text });
    const book = aTargetBook(1, [text]);
    const effect = { ...anEffect(1), later: text };
    await write(world, {
      writes: someWrites({
        submissions: [submission],
        targets: [book],
        history: [alarm],
        verdicts,
      }),
      answers: [answer],
      effects: [effect],
    });
    await store.push(queueId, [fact]);
    const held = await leaseOne(world);
    expect(held.effect).toEqual(effect);
    expect(await store.postpone(held, 0, text)).toBe(true);
    const delta = await loaded(world, 1);
    expect([delta.submissions, delta.targets, delta.inbox]).toEqual([[submission], [book], [fact]]);
    expect(await store.answers([inputIdOf(1)])).toEqual([answer]);
    expect(await store.verdicts(aRepo, tree)).toEqual([...verdicts].reverse());
    const { items } = await store.history({ queueIds: [queueId], order: 'oldest_first', limit: 9 });
    expect(items).toEqual([{ ...alarm, queueId }]);
  },

  'rows with the same ids in two queues are returned for their own queue only': async (world) => {
    const { store, expect } = world;
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    for (const n of [1, 2])
      await write(world, { queueId: queueIdOf(n), writes: ofQueue(n), effects: [anEffect(n)] });
    for (const n of [1, 2]) {
      const id = queueIdOf(n);
      const { submissions, runs, targets, history, receipts } = ofQueue(n);
      for (const since of [0, 1]) {
        const delta = await loaded(world, since, { prs: [1] }, id);
        expect([delta.version, delta.submissions, delta.runs, delta.targets]).toEqual([
          2,
          submissions,
          runs,
          targets,
        ]);
        expect([delta.recalled.submissions, delta.recalled.targets]).toEqual([submissions, targets]);
      }
      expect(await store.run(id, runIdOf(1))).toEqual(runs[0]);
      expect((await store.submissions({ queueId: id, limit: 9 })).items).toEqual(submissions);
      const asked = { queueIds: [id], order: 'oldest_first', limit: 9 } as const;
      const items = history.map((row) => ({ ...row, queueId: id }));
      expect((await store.history(asked)).items).toEqual(items);
      expect((await store.history({ ...asked, pr: n })).items).toEqual(items);
      expect((await store.history({ ...asked, pr: 3 - n })).items).toEqual([]);
      expect((await store.receipts({ queueId: id, limit: 9 })).items).toEqual(receipts);
      expect((await store.receipts({ queueId: id, pr: 1, limit: 9 })).items).toEqual(receipts);
    }
  },

  'impacted targets of a pull request that is live only in another queue are not returned': async (world) => {
    await open(world);
    await open(world, { id: queueIdOf(2), branch: 'next' });
    await write(world, { writes: someWrites({ targets: [aTargetBook(1)] }) });
    await write(world, { queueId: queueIdOf(2), writes: someWrites({ submissions: [aSubmission(1)] }) });
    for (const since of [0, 1]) world.expect((await loaded(world, since)).targets).toEqual([]);
  },
};
