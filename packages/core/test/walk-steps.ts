import { shaOf } from '@mq/testkit';
import fc from 'fast-check';
import { type Conclusion, conclusions } from '../src/model/checks.js';
import { type ImpactedTargets, normalTargets } from '../src/model/impacted-targets.js';
import type { Input } from '../src/model/input.js';
import type { PullRequest } from '../src/model/pull-request.js';
import type { QueueSettings } from '../src/model/settings.js';
import type { Walk } from './walk.js';

/** One step of a random walk: changes the world, and returns the inputs of the queue. */
export interface Step {
  readonly take: (walk: Walk) => readonly Input[];
  readonly toString: () => string;
}

const step = (name: string, take: Step['take']): Step => ({ take, toString: () => name });

const pr = fc.integer({ min: 1, max: 6 });
const nth = fc.nat(20);

const submits = fc
  .record({
    pr,
    priority: fc.constantFrom(undefined, null, 0, 10, 100, 255),
    skipTheLine: fc.constantFrom(undefined, true, false),
    noBatch: fc.constantFrom(undefined, undefined, true, false),
    forceEnqueued: fc.constantFrom(undefined, true),
  })
  .map(({ pr: number, ...options }) =>
    step(`submit ${number} ${JSON.stringify(options)}`, (walk) => [
      {
        ...walk.asked(),
        type: 'submit',
        pull: walk.pull(number),
        expectedHead: null,
        ...(options.priority === undefined ? {} : { priority: options.priority }),
        ...(options.skipTheLine === undefined ? {} : { skipTheLine: options.skipTheLine }),
        ...(options.noBatch === undefined ? {} : { noBatch: options.noBatch }),
        ...(options.forceEnqueued === undefined ? {} : { forceEnqueued: options.forceEnqueued }),
      },
    ]),
  );

const leaves = fc
  .tuple(fc.constantFrom('cancel', 'restart_tests'), pr)
  .map(([type, number]) =>
    step(`${type} ${number}`, (walk) => [
      type === 'cancel'
        ? { ...walk.asked(), type, pr: number }
        : { ...walk.asked(), type: 'restart_tests', pr: number },
    ]),
  );

const someTargets = fc.oneof(
  { weight: 1, arbitrary: fc.constant<ImpactedTargets>('ALL') },
  { weight: 6, arbitrary: fc.subarray(['//a', '//b', '//c', '//d'], { maxLength: 2 }) },
);

const uploads = fc
  .tuple(pr, someTargets, fc.constantFrom('trusted', 'trusted', 'fork' as const))
  .map(([number, targets, source]) =>
    step(`targets of ${number} ${targets} ${source}`, (walk) => [
      {
        ...walk.asked(),
        type: 'set_impacted_targets',
        pr: number,
        head: walk.pull(number).head,
        targets,
        source,
      },
    ]),
  );

/** Submits many pull requests at once, for batches; each touches a target of its own and perhaps a common one. */
const crowds = fc.tuple(fc.integer({ min: 2, max: 6 }), someTargets).map(([count, targets]) =>
  step(`crowd of ${count} ${targets}`, (walk) =>
    Array.from({ length: count }, (_, index) => index + 1).flatMap((number): Input[] => [
      {
        ...walk.asked(),
        type: 'set_impacted_targets',
        pr: number,
        head: walk.pull(number).head,
        targets: targets === 'ALL' ? targets : normalTargets([...targets, `//${number % 3}`]),
        source: 'trusted',
      },
      { ...walk.asked(), type: 'submit', pull: walk.pull(number), expectedHead: null },
    ]),
  ),
);

const engineSettings = fc.constantFrom<Partial<QueueSettings>>(
  { mode: 'parallel' },
  { mode: 'parallel' },
  { mode: 'single' },
  { concurrency: 1 },
  { concurrency: 4 },
  { bisectionConcurrency: 1 },
  { bisectionConcurrency: 3 },
  { batch: true, batchingMinSize: 2 },
  { batch: true, batchingMinSize: 4, batchingMaxWaitTimeMinutes: 1 },
  { batch: false },
  { batchingRules: [{ targetPattern: '//a*', policy: 'isolate' }] },
  { pendingFailureDepth: 0 },
  { pendingFailureDepth: 2 },
  { canOptimisticallyMerge: true },
  { canOptimisticallyMerge: false },
  { confirmBeforeFailing: true },
  { optimizationMode: 'bisection_skip_redundant_tests' },
  { optimizationMode: 'off' },
  { directMergeMode: 'always' },
  { trustForkTargets: true },
  { mergeMethod: 'rebase' },
);

/** Settings of a queue: combinations of all that change the behaviour of the engine. */
export const settingsAtFirst: fc.Arbitrary<Partial<QueueSettings>> = fc
  .tuple(fc.integer({ min: 1, max: 3 }), fc.array(engineSettings, { maxLength: 8 }))
  .map(([concurrency, some]) => Object.assign({ concurrency }, ...some));

const someSettings = fc.oneof(
  fc.constantFrom<Partial<QueueSettings>>(
    {},
    { requiredStatuses: ['build', 'lint'] },
    { requiredStatuses: null },
    { testingTimeoutMinutes: 1 },
    { notReadyTimeoutHours: 1 },
  ),
  engineSettings,
);

const configures = fc
  .tuple(someSettings, fc.constantFrom(null, 'running', 'running', 'paused', 'draining'))
  .map(([settings, wanted]) =>
    step(`configure ${JSON.stringify(settings)} ${wanted}`, (walk) => [
      {
        ...walk.asked(),
        type: 'configure',
        settings,
        wanted,
        stateReason: null,
        cancelPending: null,
        requiredStatusesSource: null,
        allowNoRequiredStatuses: false,
      },
    ]),
  );

const edits = fc.constantFrom<Partial<PullRequest>>(
  { mergeability: 'mergeable', conflicts: false, state: 'open', merged: null, draft: false, base: 'main' },
  { mergeability: 'not_mergeable' },
  { mergeability: 'in_progress' },
  { mergeability: 'not_mergeable', conflicts: true },
  { draft: true },
  { state: 'closed' },
  { base: 'elsewhere' },
  { head: shaOf(0xdead) },
  { state: 'merged', merged: { branch: 'main', commit: null } },
  { state: 'merged', merged: { branch: 'elsewhere', commit: null } },
);

const noticed = (walk: Walk, what: 'branch' | 'pull_requests' | 'checks'): Input[] => [
  { id: walk.nextId(), type: 'noticed', what },
];

const people = fc.oneof(
  fc.tuple(pr, edits).map(([number, edit]) =>
    step(`edit ${number} ${JSON.stringify(edit)}`, (walk) => {
      walk.edit(number, edit);
      return noticed(walk, 'pull_requests');
    }),
  ),
  pr.map((number) =>
    step(`delete or restore ${number}`, (walk) => {
      if (!walk.missing.delete(number)) walk.missing.add(number);
      return noticed(walk, 'pull_requests');
    }),
  ),
  fc.integer({ min: 100, max: 200 }).map((tip) =>
    step(`push ${tip}`, (walk) => {
      walk.tip = shaOf(tip);
      return noticed(walk, 'branch');
    }),
  ),
  fc.constantFrom(null, ['build'], ['build', 'audit']).map((names) =>
    step(`rules ${names}`, (walk) => {
      walk.requiredChecks = names;
      return noticed(walk, 'branch');
    }),
  ),
);

const answers = fc
  .tuple(
    nth,
    fc.constantFrom('normally', 'normally', 'normally', 'normally', 'badly', 'impossible' as const),
    fc.oneof(
      { weight: 3, arbitrary: fc.constant<Conclusion>('success') },
      { weight: 2, arbitrary: fc.constantFrom(...conclusions) },
    ),
  )
  .map(([n, how, conclusion]) =>
    step(`answer ${n} ${how} ${conclusion}`, (walk) => {
      const effect = walk.effectAt(n);
      return effect === undefined ? [] : walk.perform(effect, how, conclusion);
    }),
  );

const infrastructure = fc.oneof(
  nth.map((n) =>
    step(`lease ${n}`, (walk) => {
      walk.lease(n);
      return [];
    }),
  ),
  nth.map((n) =>
    step(`repeat fact ${n}`, (walk) => {
      const fact = walk.facts[n % Math.max(1, walk.facts.length)];
      return fact === undefined ? [] : [{ ...fact, id: walk.nextId() }];
    }),
  ),
  fc.constantFrom(1_000, 31_000, 61_000, 3_700_000).map((ms) =>
    step(`wait ${ms}`, (walk) => {
      walk.now += ms;
      return [];
    }),
  ),
);

/** Steps in any order, weighted so that many pull requests land. */
export const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: submits },
    { weight: 2, arbitrary: leaves },
    { weight: 2, arbitrary: uploads },
    { weight: 2, arbitrary: crowds },
    { weight: 2, arbitrary: configures },
    { weight: 3, arbitrary: people },
    { weight: 20, arbitrary: answers },
    { weight: 4, arbitrary: infrastructure },
  ),
  { minLength: 1, maxLength: 60, size: 'max' },
);
