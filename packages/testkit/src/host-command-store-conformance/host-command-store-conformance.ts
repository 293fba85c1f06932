import {
  type CommandProgress,
  HOST_COMMANDS_PER_CALL,
  type HostCommand,
  type HostCommandStore,
} from '@mq/core';
import { codeOf, rejection, type TestRunner } from '../store-conformance/world.js';

/** An empty store of its own for one test. */
export interface HostCommandStoreUnderTest {
  readonly store: HostCommandStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<HostCommandStore>;
}

interface World extends HostCommandStoreUnderTest {
  readonly expect: TestRunner['expect'];
}

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const other = { ...repo, name: 'gadgets' };
const AT = 1_000_000;

/** The n-th is written, seen and due n ms after the first. */
const command = (n: number, part: Partial<HostCommand> = {}): HostCommand => ({
  ...{ repo, key: `comment ${n}`, pr: 1, source: { kind: 'comment', id: String(n) } },
  ...{ person: { id: 'user-ada', name: 'ada', isBot: false }, request: { kind: 'cancel' } },
  ...{ writtenAt: AT + n, seenAt: AT + n, state: 'waiting', result: null, isExplained: false },
  ...{ dueAt: AT + n, version: 1 },
  ...part,
});

const changed = (one: HostCommand, part: Partial<HostCommand>): HostCommand => ({
  ...one,
  ...part,
  version: one.version + 1,
});

const progress = (version: number, part: Partial<CommandProgress> = {}): CommandProgress => ({
  ...{ repo, commentsSince: 1.5, labelsSince: 2, polledAt: 3, leasedUntil: 4, version },
  ...part,
});

const due = async (store: HostCommandStore, at: number, limit = 10) =>
  (await store.due({ at, limit })).map(({ key }) => key);

const everyCall = (store: HostCommandStore): Readonly<Record<string, () => Promise<unknown>>> => ({
  now: () => store.now(),
  add: () => store.add([command(1)]),
  replace: () => store.replace(command(1)),
  remove: () => store.remove(command(1)),
  find: () => store.find(command(1)),
  due: () => store.due({ at: AT, limit: 1 }),
  count: () => store.count({ repo }),
  progress: () => store.progress(repo),
  saveProgress: () => store.saveProgress(progress(1)),
});

const promises: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'finds a command by repository and key, exactly as it was added': async ({ store, expect }) => {
    const odd = command(1, {
      key: 'label a/"b" ✓',
      person: { id: 'user-"x" \\', name: 'a \u0000 \ud800 ✓', isBot: true },
      request: { kind: 'malformed', fault: 'a \u0000 b' },
      result: { kind: 'refused', code: 'MALFORMED', sentence: '\ud800' },
    });
    await store.add([odd, command(2)]);
    await store.add([]);

    expect(await store.find(odd)).toEqual(odd);
    expect(await store.find({ repo: other, key: odd.key })).toEqual(null);
    expect(await store.find({ repo, key: 'Comment 2' })).toEqual(null);
  },
  'adding a command a second time leaves the stored one unchanged': async ({ store, expect }) => {
    await store.add([command(1)]);
    const done = changed(command(1), { state: 'done' });
    await store.replace(done);
    await store.add([command(1), command(2), command(2, { pr: 7 })]);

    expect(await store.find(command(1))).toEqual(done);
    expect(await store.find(command(2))).toEqual(command(2));
  },
  'replaces and removes a command only at the version that is stored': async ({ store, expect }) => {
    await store.add([command(1)]);
    const second = changed(command(1), { isExplained: true });

    expect(await store.replace(second)).toBe(true);
    expect(await store.replace(second)).toBe(false);
    expect(await store.replace({ ...second, version: 4 })).toBe(false);
    expect(await store.remove(command(1))).toBe(false);
    expect(await store.find(command(1))).toEqual(second);
    expect(await store.remove(second)).toBe(true);
    expect(await store.remove(second)).toBe(false);
    expect(await store.find(command(1))).toEqual(null);
    expect(await store.replace(changed(second, {}))).toBe(false);
  },
  'one of several processes that replace a command succeeds': async ({ store, another, expect }) => {
    await store.add([command(1)]);
    const second = (await another?.()) ?? store;
    const won = await Promise.all(
      [store, second, store, second].map((one) => one.replace(changed(command(1), {}))),
    );

    expect(won.filter(Boolean).length).toBe(1);
  },
  'lists what is due by time and key, up to the limit, of one repository or of all': async ({
    store,
    expect,
  }) => {
    await store.add([command(3), command(1), command(2, { dueAt: AT + 1 }), command(4, { repo: other })]);

    expect(await due(store, AT)).toEqual([]);
    expect(await due(store, AT + 1)).toEqual(['comment 1', 'comment 2']);
    expect(await due(store, AT + 9)).toEqual(['comment 1', 'comment 2', 'comment 3', 'comment 4']);
    expect(await due(store, AT + 9, 1)).toEqual(['comment 1']);
    expect(await store.due({ repo: other, at: AT + 9, limit: 9 })).toEqual([command(4, { repo: other })]);
    await store.replace(changed(command(1), { dueAt: AT + 50 }));
    expect(await due(store, AT + 9)).toEqual(['comment 2', 'comment 3', 'comment 4']);
  },
  'counts the commands of a repository that meet all conditions': async ({ store, expect }) => {
    const person = { id: 'user-bob', name: 'bob', isBot: false };
    await store.add([
      ...[command(1), command(2, { pr: 2 }), command(3, { person }), command(4, { repo: other })],
      command(5, { person, isExplained: true }),
    ]);

    expect(await store.count({ repo })).toBe(4);
    expect(await store.count({ repo: other })).toBe(1);
    expect(await store.count({ repo, personId: 'user-bob' })).toBe(2);
    expect(await store.count({ repo, pr: 1, personId: 'user-ada' })).toBe(1);
    expect(await store.count({ repo, since: AT + 3 })).toBe(2);
    expect(await store.count({ repo, isExplained: true })).toBe(1);
    expect(await store.count({ repo, isExplained: false, personId: 'user-bob' })).toBe(1);
    await store.replace(changed(command(1), { isExplained: true }));
    expect(await store.count({ repo, isExplained: true, pr: 1, since: 0 })).toBe(2);
  },
  'keeps the progress of each repository, replaced only at the version that is stored': async ({
    store,
    another,
    expect,
  }) => {
    expect(await store.progress(repo)).toEqual(null);
    expect(await store.saveProgress(progress(2))).toBe(false);
    const second = (await another?.()) ?? store;
    const won = await Promise.all([store, second].map((one) => one.saveProgress(progress(1))));
    expect(won.filter(Boolean).length).toBe(1);
    expect(await store.saveProgress(progress(2, { polledAt: 9 }))).toBe(true);
    expect(await store.saveProgress(progress(2))).toBe(false);
    expect(await second.progress(repo)).toEqual(progress(2, { polledAt: 9 }));
    expect(await store.progress(other)).toEqual(null);
  },
  'refuses to add more than the limit in one call': async ({ store, expect }) => {
    const many = Array.from({ length: HOST_COMMANDS_PER_CALL + 1 }, (_, n) => command(n));

    expect((await rejection(store.add(many))) instanceof RangeError).toBe(true);
    expect(await store.count({ repo })).toBe(0);
    await store.add(many.slice(1));
    expect(await store.count({ repo })).toBe(HOST_COMMANDS_PER_CALL);
  },
  'another process sees every confirmed write': async ({ store, another, expect }) => {
    if (another === undefined) return;
    await store.add([command(1)]);

    expect(await (await another()).find(command(1))).toEqual(command(1));
  },
  'every call after close rejects with CLOSED, and closing again does nothing': async ({ store, expect }) => {
    await store.close();
    await store.close();

    for (const call of Object.values(everyCall(store)))
      expect(codeOf(await rejection(call()))).toBe('CLOSED');
  },
};

/** What every store of host commands promises. `open` answers an empty store of its own for each test. */
export const hostCommandStoreConformance = (
  { describe, test, expect }: TestRunner,
  open: () => Promise<HostCommandStoreUnderTest>,
): void => {
  describe('a store of host commands', () => {
    for (const [sentence, holds] of Object.entries(promises))
      test(sentence, async () => {
        const under = await open();
        try {
          await holds({ ...under, expect });
        } finally {
          await under.store.close();
        }
      });
  });
};
