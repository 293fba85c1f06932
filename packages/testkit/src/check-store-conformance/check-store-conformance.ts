import type { CheckStore, ExpectedCheck, Sha, TestRunId } from '@mq/core';
import { codeOf, rejection, type TestRunner } from '../store-conformance/world.js';

/** An empty store of its own for one test. */
export interface CheckStoreUnderTest {
  readonly store: CheckStore;
  /** Another store on the same data, as another process opens it. Leave it out if no other process can have the data. */
  another?(): Promise<CheckStore>;
}

interface World extends CheckStoreUnderTest {
  readonly expect: TestRunner['expect'];
}

type Promises = Readonly<Record<string, (world: World) => Promise<void>>>;

const repo = { host: 'git.test', owner: 'acme', name: 'widgets' };
const other = { ...repo, name: 'gadgets' };
const AT = 1_000_000;

const runOf = (n: number): TestRunId => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}` as TestRunId;
const commitOf = (n: number): Sha => String(n).padStart(40, '0') as Sha;

/** The n-th is asked for n ms after the first. */
const expected = (n: number, part: Partial<ExpectedCheck> = {}): ExpectedCheck => ({
  ...{ repo, runId: runOf(n), commit: commitOf(n), name: 'unit', askedAt: AT + n, closedAt: null },
  ...{ executions: [], version: 1 },
  ...part,
});

const changed = (check: ExpectedCheck, part: Partial<ExpectedCheck> = {}): ExpectedCheck => ({
  ...check,
  ...part,
  version: check.version + 1,
});

const executed = (reporter: string): ExpectedCheck['executions'] => [
  {
    ...{ reporter, ordinal: 1, sequence: 3, status: 'completed', conclusion: 'success', failing: false },
    ...{ startedAt: AT, completedAt: AT + 1, url: 'https://ci.test/1', summary: 'a "b" \u0000 \ud800 ✓' },
    ...{ reportedAt: AT + 2, isOfRun: true },
  },
];

const everyCall = (store: CheckStore): Readonly<Record<string, () => Promise<unknown>>> => ({
  add: () => store.add([expected(9)]),
  replace: () => store.replace(changed(expected(1))),
  find: () => store.find({ repo, runId: runOf(1), name: 'unit' }),
  ofRun: () => store.ofRun(repo, runOf(1)),
  ofCommits: () => store.ofCommits(repo, [commitOf(1)]),
  open: () => store.open({ limit: 1 }),
  prune: () => store.prune(AT),
});

const promises: Promises = {
  'finds a check by repository, test run and name, exactly as it was added': async ({ store, expect }) => {
    const odd = expected(1, { name: 'lint / "all" ✓', executions: executed('jenkins') });
    await store.add([odd, expected(1)]);

    expect(await store.find({ repo, runId: runOf(1), name: odd.name })).toEqual(odd);
    expect(await store.find({ repo: other, runId: runOf(1), name: odd.name })).toEqual(null);
    expect(await store.find({ repo, runId: runOf(2), name: odd.name })).toEqual(null);
    expect(await store.find({ repo, runId: runOf(1), name: 'Unit' })).toEqual(null);
  },
  'adding a check a second time leaves the stored one unchanged': async ({ store, expect }) => {
    await store.add([expected(1)]);
    const reported = changed(expected(1), { executions: executed('jenkins') });
    await store.replace(reported);
    await store.add([expected(1), expected(2)]);

    expect(await store.find({ repo, runId: runOf(1), name: 'unit' })).toEqual(reported);
    expect(await store.find({ repo, runId: runOf(2), name: 'unit' })).toEqual(expected(2));
  },
  'replaces a check only if the stored version is the one before': async ({ store, expect }) => {
    await store.add([expected(1)]);
    const second = changed(expected(1), { closedAt: AT + 5 });

    expect(await store.replace(second)).toBe(true);
    expect(await store.replace(second)).toBe(false);
    expect(await store.replace(changed(changed(second)))).toBe(false);
    expect(await store.replace(changed(expected(2)))).toBe(false);
    expect(await store.find({ repo, runId: runOf(1), name: 'unit' })).toEqual(second);
    expect(await store.find({ repo, runId: runOf(2), name: 'unit' })).toEqual(null);
  },
  'of many concurrent replacements exactly one succeeds': async ({ store, another, expect }) => {
    await store.add([expected(1)]);
    const stores = [store, (await another?.()) ?? store];
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        (stores[index % 2] ?? store).replace(changed(expected(1), { executions: executed(`ci ${index}`) })),
      ),
    );

    expect(outcomes.filter(Boolean).length).toBe(1);
    const found = await store.find({ repo, runId: runOf(1), name: 'unit' });
    expect(found?.executions[0]?.reporter).toBe(`ci ${outcomes.indexOf(true)}`);
  },
  'lists the checks of a test run by name, closed ones included': async ({ store, expect }) => {
    const closed = expected(1, { name: 'a', closedAt: AT });
    await store.add([expected(1, { name: 'b' }), closed, expected(2, { name: 'a' })]);
    await store.add([expected(1, { name: 'a', repo: other })]);

    expect(await store.ofRun(repo, runOf(1))).toEqual([closed, expected(1, { name: 'b' })]);
    expect(await store.ofRun(repo, runOf(3))).toEqual([]);
  },
  'lists the checks of given commits, newest request first': async ({ store, expect }) => {
    const same = expected(2, { commit: commitOf(1) });
    await store.add([
      expected(1),
      same,
      expected(3),
      expected(4),
      expected(5, { repo: other, commit: commitOf(1) }),
    ]);

    expect(await store.ofCommits(repo, [commitOf(1), commitOf(3), commitOf(9)])).toEqual([
      expected(3),
      same,
      expected(1),
    ]);
    expect(await store.ofCommits(repo, [])).toEqual([]);
  },
  'lists open checks of one repository or of all, oldest request first, up to a limit': async ({
    store,
    expect,
  }) => {
    const elsewhere = expected(2, { repo: other });
    await store.add([expected(3), elsewhere, expected(1), expected(4, { closedAt: AT })]);

    expect(await store.open({ limit: 10 })).toEqual([expected(1), elsewhere, expected(3)]);
    expect(await store.open({ repo, limit: 10 })).toEqual([expected(1), expected(3)]);
    expect(await store.open({ limit: 2 })).toEqual([expected(1), elsewhere]);
    await store.replace(changed(expected(1), { closedAt: AT }));
    expect(await store.open({ repo, limit: 10 })).toEqual([expected(3)]);
  },
  'removes checks that were closed before a given time, and no open ones': async ({ store, expect }) => {
    const closed = (n: number) => expected(n, { closedAt: AT + n });
    await store.add([closed(1), closed(2), closed(3), expected(0)]);
    await store.prune(AT + 2);

    expect(await store.ofCommits(repo, [0, 1, 2, 3].map(commitOf))).toEqual([
      closed(3),
      closed(2),
      expected(0),
    ]);
  },
  'what one process wrote is visible to another': async ({ store, another, expect }) => {
    if (another === undefined) return;
    await store.add([expected(1)]);
    const second = await another();
    const reported = changed(expected(1), { executions: executed('jenkins') });
    await second.replace(reported);

    expect(await store.find({ repo, runId: runOf(1), name: 'unit' })).toEqual(reported);
  },
  'every call after closing rejects with the code CLOSED': async ({ store, expect }) => {
    await store.close();
    await store.close();

    for (const call of Object.values(everyCall(store)))
      expect(codeOf(await rejection(call()))).toBe('CLOSED');
  },
};

/** Tries every promise of the `CheckStore` port on an implementation, through the port alone. */
export const checkStoreConformance = (
  { describe, test, expect }: TestRunner,
  makeStore: () => Promise<CheckStoreUnderTest>,
): void => {
  describe('a store of expected checks', () => {
    for (const [sentence, keep] of Object.entries(promises))
      test(sentence, async () => {
        const made = await makeStore();
        const opened = [made.store];
        const another =
          made.another === undefined
            ? {}
            : {
                another: async () => {
                  const store = await (made.another?.() ?? made.store);
                  opened.push(store);
                  return store;
                },
              };
        try {
          await keep({ store: made.store, ...another, expect });
        } finally {
          await Promise.all(opened.map((store) => store.close()));
        }
      });
  });
};
