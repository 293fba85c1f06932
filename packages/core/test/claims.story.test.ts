import { type Story, story } from '@mq/testkit';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MergeQueueError, type QueueSettings } from '../src/index.js';
import type { Claim } from './claims.js';
import { claimsOfFailures } from './claims-of-failures.js';
import { claimsOfBatch, claimsOfPause, claimsOfTurn, claimsOfWaits } from './claims-of-slots.js';

/** All claims about all pull requests at this time. */
const claimsOf = (q: Story): readonly Claim[] =>
  [...q.world.seen.submissions].flatMap(([pr, { waiting }]) => {
    const [nearest] = waiting?.causes ?? [];
    if (waiting === null || nearest === undefined) return [];
    const observed = { q, pr, waiting, nearest };
    const isStopped = waiting.causes.some(({ code }) => code === 'queue_paused' || code === 'host_trouble');
    if (isStopped) return nearest.code === 'queue_paused' ? claimsOfPause(observed) : [];
    return [
      ...claimsOfTurn(observed),
      ...claimsOfBatch(observed),
      ...claimsOfWaits(observed),
      ...claimsOfFailures(observed),
    ];
  });

const settings = fc.record<Partial<QueueSettings>>({
  mode: fc.constantFrom('single', 'single', 'parallel'),
  concurrency: fc.integer({ min: 1, max: 4 }),
  bisectionConcurrency: fc.constantFrom(null, null, 1, 3),
  batch: fc.boolean(),
  batchingMinSize: fc.constantFrom(2, 3, 4),
  batchingMaxWaitTimeMinutes: fc.constantFrom(1, 5),
  canOptimisticallyMerge: fc.boolean(),
  pendingFailureDepth: fc.constantFrom(0, 0, 1, 2),
  confirmBeforeFailing: fc.constantFrom(false, false, true),
  directMergeMode: fc.constantFrom('off', 'off', 'always'),
  optimizationMode: fc.constantFrom('off', 'bisection_skip_redundant_tests'),
  mergeMethod: fc.constantFrom('squash', 'merge_commit', 'rebase'),
  testingTimeoutMinutes: fc.constantFrom(0, 20, 300),
});

interface Step {
  readonly take: (q: Story) => Promise<void>;
  readonly toString: () => string;
}

const step = (name: string, take: Step['take']): Step => ({ take, toString: () => name });

const pr = fc.integer({ min: 1, max: 6 });
const targets = fc.constantFrom<readonly string[] | 'ALL'>(
  ['//a'],
  ['//b'],
  ['//a', '//b'],
  ['//c'],
  [],
  'ALL',
);

const submits = fc
  .record({
    number: pr,
    touched: targets,
    source: fc.constantFrom('trusted', 'trusted', 'trusted', 'fork'),
    options: fc.constantFrom({}, {}, {}, { skipTheLine: true }, { noBatch: true }, { priority: 10 }),
  })
  .map(({ number, touched, source, options }) =>
    step(`submits #${number} of ${touched} by ${source} ${JSON.stringify(options)}`, async (q) => {
      await q.touches(number, touched, { source });
      await q.submit(number, options);
    }),
  );

const ends = fc
  .record({
    how: fc.constantFrom('passes', 'passes', 'fails', 'fails', 'breaksDown', 'isCancelledByCi', 'timesOut'),
    nth: fc.nat(5),
  })
  .map(({ how, nth }) =>
    step(`${how}, test ${nth}`, async (q) => {
      const running = q.world.checks().filter(({ isRunning }) => isRunning);
      const contents = [...new Set(running.map(({ commit }) => q.world.contentOf(commit)))];
      const content = contents[nth % contents.length];
      if (content !== undefined) await q[how](content);
    }),
  );

const people = fc
  .record({
    what: fc.constantFrom('cancel', 'restart', 'pushes', 'drafts', 'marksReady', 'closes', 'reopens'),
    number: pr,
  })
  .map(({ what, number }) => step(`${what} #${number}`, (q) => q[what](number)));

const owners = fc.constantFrom(
  step('pauses', (q) => q.pauses('x')),
  step('drains', (q) => q.drains()),
  step('resumes', (q) => q.resumes()),
  step('resumes', (q) => q.resumes()),
  step('pushes to the target', (q) => q.pushesToTarget()),
  step('waits for 30 s', (q) => q.after('30s')),
  step('waits for 6 min', (q) => q.after('6m')),
);

/** Tries one of the current claims. Chooses the kind first, as some kinds are claimed of almost every pull request. */
const tries = fc.tuple(fc.nat(), fc.nat()).map(([kind, nth]) =>
  step(`tries claim ${kind}, ${nth}`, async (q) => {
    const claims = claimsOf(q);
    const names = [...new Set(claims.map(({ name }) => name))];
    const alike = claims.filter(({ name }) => name === names[kind % names.length]);
    const claim = alike[nth % alike.length];
    if (claim === undefined) return;
    const observed = q.world.seen.submissions.get(claim.pr)?.waiting;
    const fault = await refusedOr(null, claim.tried);
    expect(
      fault,
      `${claim.name}; #${claim.pr} was observed: ${observed?.sentence} >> ${observed?.remedy}`,
    ).toBeNull();
  }),
);

const steps = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: submits },
    { weight: 6, arbitrary: ends },
    { weight: 2, arbitrary: people },
    { weight: 2, arbitrary: owners },
    { weight: 6, arbitrary: tries },
  ),
  { minLength: 12, maxLength: 30 },
);

/** A command that is not allowed at this time is refused, and changes nothing. */
const refusedOr = async <T>(refused: T, act: () => Promise<T>): Promise<T> => {
  try {
    return await act();
  } catch (error) {
    if (error instanceof MergeQueueError) return refused;
    throw error;
  }
};

test('what a wait claims comes true when what it names is done', async () => {
  await fc.assert(
    fc.asyncProperty(settings, fc.boolean(), steps, async (given, showsTip, taken) => {
      const q = await story(given, { showsTip });
      for (const { take } of taken) await refusedOr(undefined, () => take(q));
      await q.ends();
    }),
    { numRuns: 150 },
  );
}, 600_000);
