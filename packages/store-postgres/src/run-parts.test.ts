import type { Commit, QueueDelta, TestRun } from '@mq/core';
import { aCommit, aQueue, aRun, BUILT_AT, queueIdOf, runIdOf, shaOf, someWrites } from '@mq/testkit';
import { describe, expect, test } from 'vitest';
import { apartOf, runOf, StoredRuns } from './run-parts.js';

const candidate = { ref: 'candidates/1', commit: shaOf(7), tree: shaOf(8), steps: [] };
const built = aRun(1, { state: 'testing', candidate });
const another = { ...built, id: runIdOf(2) };
const { id } = aQueue();

const commitOf = (expected: number, run: TestRun, override: Partial<Commit> = {}): Commit =>
  aCommit({ expected, incarnation: 'first', writes: someWrites({ runs: [run] }), ...override });

const loaded = (version: number, runs: readonly TestRun[], incarnation = 'first'): QueueDelta => ({
  version,
  incarnation,
  now: BUILT_AT,
  queue: aQueue(),
  submissions: [],
  runs,
  targets: [],
  inbox: [],
  recalled: { submissions: [], targets: [], answers: [], commits: [] },
});

/** The parts of `run` that a commit based on this version takes for stored. */
const storedAt = (stored: StoredRuns, expected: number, run: TestRun, override: Partial<Commit> = {}) => {
  const parts = stored.at(commitOf(expected, run, override));
  return { made: parts.made(run), candidate: parts.candidate(run) };
};
const all = { made: true, candidate: true };
const nothing = { made: false, candidate: false };

describe('what is known to be stored of a run', () => {
  test('stored parts are those loaded, and those committed on top', () => {
    const stored = new StoredRuns();
    const building = { ...built, candidate: null };
    stored.loaded(id, 0, loaded(4, [building]));
    expect(storedAt(stored, 4, built)).toEqual({ made: true, candidate: false });

    stored.committed(commitOf(4, built));

    expect(storedAt(stored, 5, { ...built, isCandidateKept: false })).toEqual(all);
  });

  test('no part counts as stored for a commit based on a newer or older version of another process', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));

    expect(storedAt(stored, 5, built)).toEqual(nothing);
    expect(storedAt(stored, 3, built)).toEqual(nothing);
  });

  test('stored parts include those of another process once they are loaded', () => {
    const stored = new StoredRuns();
    const other = { ...built, candidate: { ...candidate } };
    stored.loaded(id, 0, loaded(4, [built]));

    stored.loaded(id, 4, loaded(6, [other]));

    expect(storedAt(stored, 6, other)).toEqual(all);
    expect(storedAt(stored, 6, built)).toEqual({ made: true, candidate: false });
  });

  test('stored parts of unchanged runs stay known after a load', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built, another]));

    stored.loaded(id, 4, loaded(6, [built]));
    expect(storedAt(stored, 6, another)).toEqual(all);
    stored.loaded(id, 4, loaded(6, [built]));
    expect(storedAt(stored, 6, another)).toEqual(all);
    stored.committed(commitOf(6, built));
    expect(storedAt(stored, 7, another)).toEqual(all);
  });

  test('after a full load only the loaded parts count as stored', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built, another]));

    stored.loaded(id, 0, loaded(6, [built]));

    expect(storedAt(stored, 6, another)).toEqual(nothing);
  });

  test.each(['purpose', 'batch', 'stack', 'without'] as const)(
    'a run with another %s does not count as stored',
    (field) => {
      const stored = new StoredRuns();
      stored.loaded(id, 0, loaded(4, [built]));

      const changed = { ...built, [field]: structuredClone(built[field]) };

      expect(storedAt(stored, 4, changed)).toEqual({ made: false, candidate: true });
    },
  );

  test('a run with another merge method does not count as stored', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [{ ...built, method: 'squash' }]));

    expect(storedAt(stored, 4, { ...built, method: 'rebase' })).toEqual({ made: false, candidate: true });
  });

  test('stored parts are remembered for a thousand queues, then cleared', () => {
    const stored = new StoredRuns();
    const queues = Array.from({ length: 1_001 }, (_, index) => queueIdOf(index + 1));
    const of = (queueId = id) => storedAt(stored, 4, built, { queueId });
    for (const queueId of queues.slice(0, 1_000)) stored.loaded(queueId, 0, loaded(4, [built]));
    stored.loaded(queueIdOf(1), 0, loaded(4, [built]));
    expect([of(queues[0]), of(queues[999])]).toEqual([all, all]);

    stored.loaded(queueIdOf(1_001), 0, loaded(4, [built]));

    expect([of(queues[0]), of(queues[1_000])]).toEqual([nothing, all]);
  });

  test('stored parts are unknown after a gap between loads, or a late load', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));
    stored.loaded(id, 5, loaded(6, []));
    expect(storedAt(stored, 6, built)).toEqual(nothing);

    stored.loaded(id, 0, loaded(6, [built]));
    stored.loaded(id, 4, loaded(5, [built]));
    expect(storedAt(stored, 5, built)).toEqual(all);
    expect(storedAt(stored, 6, built)).toEqual(nothing);
  });

  test('a late load makes only its own parts known', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(6, [built, another]));

    stored.loaded(id, 4, loaded(5, [built]));

    expect(storedAt(stored, 5, another)).toEqual(nothing);
  });

  test('a commit based on an unknown version makes only its own runs known', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));

    stored.committed(commitOf(7, another));

    expect([storedAt(stored, 8, another), storedAt(stored, 8, built)]).toEqual([all, nothing]);
  });

  test('stored parts stay known when only the existence of the queue is checked', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));

    stored.loaded(id, Number.MAX_SAFE_INTEGER, loaded(4, []));

    expect(storedAt(stored, 4, built)).toEqual(all);
  });

  test('stored parts start again from what a commit sent', () => {
    const stored = new StoredRuns();
    stored.committed(commitOf(4, built));

    expect(storedAt(stored, 5, built)).toEqual(all);
    expect(storedAt(stored, 5, another)).toEqual(nothing);
  });

  test('no part counts as stored in another incarnation, or if the commit names none', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));

    expect(storedAt(stored, 4, built, { incarnation: 'second' })).toEqual(nothing);
    expect(storedAt(stored, 4, built, { incarnation: null })).toEqual(nothing);
    stored.committed(commitOf(4, built, { incarnation: null }));
    expect(storedAt(stored, 5, built)).toEqual(nothing);
    expect(storedAt(stored, 5, built, { incarnation: null })).toEqual(nothing);
  });

  test('parts of another incarnation do not count as stored after a load or commit', () => {
    const second = { incarnation: 'second' };
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));
    stored.loaded(id, 4, loaded(6, [another], 'second'));
    expect([another, built].map((run) => storedAt(stored, 6, run, second))).toEqual([all, nothing]);

    stored.committed(commitOf(6, built));
    expect([built, another].map((run) => storedAt(stored, 7, run))).toEqual([all, nothing]);
  });

  test('stored parts are dropped with a deleted queue and with a closed run', () => {
    const stored = new StoredRuns();
    stored.loaded(id, 0, loaded(4, [built]));
    stored.committed(commitOf(4, { ...built, closedAt: BUILT_AT }));
    expect(storedAt(stored, 5, built)).toEqual(nothing);

    stored.loaded(id, 0, loaded(5, [built]));
    const queue = aQueue({ deletedAt: BUILT_AT });
    stored.committed(commitOf(5, built, { writes: someWrites({ queue, runs: [built] }) }));
    expect(storedAt(stored, 6, built)).toEqual(nothing);
  });
});

describe('a run in parts', () => {
  const sent = { made: () => false, candidate: () => false };
  const kept = { made: () => true, candidate: () => true };

  test('a run is the same after splitting and assembling it', () => {
    const first = apartOf(built, sent);
    const changed = { ...built, isCandidateKept: false };
    const later = apartOf(changed, kept);

    expect(runOf(first.value, first.made, first.candidate)).toEqual(built);
    expect(later).toMatchObject({ made: null, candidate: null });
    expect(runOf(later.value, first.made, first.candidate)).toEqual(changed);
  });

  test('only the parts that are not stored are sent', () => {
    const { purpose, batch, stack, without, method } = built;
    const made = { purpose, batch, stack, without, method };

    expect(apartOf(built, { ...sent, made: () => true })).toMatchObject({ made: null, candidate });
    expect(apartOf(built, { ...sent, candidate: () => true })).toMatchObject({ made, candidate: null });
  });

  test('a run without a candidate is assembled from its parts', () => {
    const building = { ...built, candidate: null };
    const first = apartOf(building, sent);

    expect(runOf(first.value, first.made, first.candidate)).toEqual(building);
  });

  test('a run that lost its candidate is assembled without the stored one', () => {
    const { value, made } = apartOf({ ...built, candidate: null }, sent);

    expect(runOf(value, made, candidate)).toMatchObject({ candidate: null });
  });
});
