import { shaOf } from '@mq/testkit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Walk } from '../../../test/walk.js';
import type { Sha } from '../../model/ids.js';
import type { Input } from '../../model/input.js';
import type { TestRun } from '../../model/run.js';
import type { QueueSettings } from '../../model/settings.js';

/** What makes tests fail: one of these alone, or two of these together. */
interface Truth {
  readonly size: number;
  readonly broken: readonly number[];
  readonly clashes: readonly (readonly [number, number])[];
}

const all = (size: number): readonly number[] => Array.from({ length: size }, (_, index) => index + 1);

const fails = ({ broken, clashes }: Truth, content: readonly number[]): boolean =>
  broken.some((pr) => content.includes(pr)) ||
  clashes.some(([one, other]) => one !== other && content.includes(one) && content.includes(other));

/** The pull requests that fail on top of the passed ones before them. */
const culpritsOf = (truth: Truth): readonly number[] => {
  const passed: number[] = [];
  const culprits: number[] = [];
  for (let pr = 1; pr <= truth.size; pr += 1)
    if (fails(truth, [...passed, pr])) culprits.push(pr);
    else passed.push(pr);
  return culprits;
};

/** A batch, a host whose checks depend on the content of a commit, and a clock that moves only when the queue waits. */
const tested = (truth: Truth, settings: Partial<QueueSettings>) => {
  const walk = new Walk({ batch: true, batchingMinSize: truth.size, concurrency: 1, ...settings });
  const contents = new Map<Sha, readonly number[]>([[shaOf(1), []]]);
  const parts: { readonly run: TestRun; readonly within: readonly [number, number] }[] = [];
  const decide = (inputs: readonly Input[]) => {
    const before = new Set(walk.runs.keys());
    const { writes } = walk.decide(...inputs);
    for (const run of writes.runs) {
      if (run.purpose.kind !== 'isolate' || before.has(run.id)) continue;
      const { bisection, batch } = walk.runs.get(run.purpose.failed) ?? run;
      if (bisection !== null) parts.push({ run, within: [bisection.passed, lengthOf(batch, run)] });
    }
  };
  decide(
    all(truth.size).map((pr) => ({
      ...walk.asked(),
      type: 'submit',
      pull: walk.pull(pr),
      expectedHead: null,
    })),
  );
  for (let turns = 0; walk.state.submissions.size > 0; turns += 1) {
    if (turns > 3_000) throw new Error('it comes to no end');
    const effect = walk.effectAt(0);
    if (effect === undefined) {
      if (walk.lastWake === null) throw new Error('nothing will ever happen');
      walk.now = Math.max(walk.now, walk.lastWake);
      decide([]);
      continue;
    }
    const isStart = effect.type === 'start_checks';
    const content = isStart ? contents.get(effect.commit) : [];
    const facts = walk.perform(
      effect,
      'normally',
      fails(truth, content ?? all(truth.size)) ? 'failure' : 'success',
    );
    for (const fact of facts)
      if (
        fact.type === 'candidate_built' &&
        fact.outcome.kind === 'built' &&
        effect.type === 'build_candidate'
      )
        contents.set(fact.outcome.candidate.commit, [
          ...(contents.get(effect.base) ?? all(truth.size)),
          ...effect.parts.map(({ pr }) => pr),
        ]);
    decide([...facts]);
  }
  const inState = (state: string) =>
    [...walk.submissions.values()]
      .filter((one) => one.state === state)
      .map(({ pr }) => pr)
      .toSorted((a, b) => a - b);
  return {
    failed: inState('failed'),
    merged: inState('merged'),
    tip: contents.get(walk.tip),
    parts,
    runs: walk.runs,
  };
};

const lengthOf = (batch: TestRun['batch'], part: TestRun): number =>
  batch.findIndex(({ pr }) => pr === part.batch.at(-1)?.pr) + 1;

const truths: fc.Arbitrary<Truth> = fc.integer({ min: 2, max: 9 }).chain((size) => {
  const pr = fc.integer({ min: 1, max: size });
  return fc.record({
    size: fc.constant(size),
    broken: fc.uniqueArray(pr, { maxLength: 3 }),
    clashes: fc.array(fc.tuple(pr, pr), { maxLength: 2 }),
  });
});

const skipping = { optimizationMode: 'bisection_skip_redundant_tests' } as const;

describe('the culprit of a batch', () => {
  test('a bisection fails each pull request that fails on top of those before it, and lands all others in order', () => {
    fc.assert(
      fc.property(
        truths,
        fc.record({
          optimizationMode: fc.constantFrom('off', 'bisection_skip_redundant_tests'),
          bisectionConcurrency: fc.constantFrom(1, 2, 3),
          confirmBeforeFailing: fc.boolean(),
          canOptimisticallyMerge: fc.boolean(),
          pendingFailureDepth: fc.constantFrom(0, 1),
          concurrency: fc.constantFrom(1, 3),
        }),
        (truth, settings) => {
          const culprits = culpritsOf(truth);
          const outcome = tested(truth, settings);

          expect(outcome.failed).toEqual(culprits);
          const landed = outcome.tip ?? [];
          expect(outcome.merged).toEqual(landed.toSorted((one, other) => one - other));
          expect(outcome.merged).toEqual(all(truth.size).filter((pr) => !culprits.includes(pr)));
          // A pull request that failed on top of one that leaves goes behind those that were behind it, which keep their places.
          if (settings.pendingFailureDepth === 0) expect(landed).toEqual(outcome.merged);
        },
      ),
      { numRuns: 150 },
    );
  }, 600_000);

  test('the culprit of a batch is found by halving, without tests whose result follows from others', () => {
    fc.assert(
      fc.property(truths, (truth) => {
        const { parts, runs } = tested(truth, { ...skipping, bisectionConcurrency: 1 });
        const perFailed = new Map<string, number>();
        for (const { run, within } of parts) {
          if (run.purpose.kind !== 'isolate') continue;
          const { failed } = run.purpose;
          const size = runs.get(failed)?.batch.length ?? 0;
          perFailed.set(failed, (perFailed.get(failed) ?? 0) + 1);
          expect(within[1]).toBeGreaterThan(within[0]);
          expect(within[1]).toBeLessThan(size);
          expect(perFailed.get(failed)).toBeLessThanOrEqual(Math.ceil(Math.log2(size)));
        }
        const contents = parts.map(
          ({ run }) => `${run.base} ${[...run.stack, ...run.batch].map(({ pr }) => pr)}`,
        );
        expect(new Set(contents).size).toBe(contents.length);
      }),
      { numRuns: 150 },
    );
  }, 600_000);
});
