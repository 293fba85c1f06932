import type { ImpactedTargets } from '../model/impacted-targets.js';
import type { Queue } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { Warning } from '../validation/requests.js';

/** Bisection with fewer slots than this share of `concurrency` holds up everything behind a failed batch. */
const BISECTION_SHARE_MIN = 0.25;

/** What the answer to createQueue remarks. `hooks`: those of the repository that a landing passes over. */
export const creationWarnings = (queue: Queue, hooks: readonly string[]): readonly Warning[] => [
  ...(requiredChecksOf(queue) === null ? [noRequiredStatuses(queue)] : []),
  ...(hooks.length === 0 ? [] : [hooksNotRun(hooks)]),
];

/** What the answer to updateQueue remarks. */
export const updateWarnings = (queue: Queue): readonly Warning[] => {
  const { bisectionConcurrency, concurrency } = queue.settings;
  if (queue.isBisectionConcurrencySet || bisectionConcurrency === null) return [];
  if (bisectionConcurrency >= concurrency * BISECTION_SHARE_MIN) return [];
  return [
    {
      code: 'BISECTION_CONCURRENCY_LOW',
      sentence: `bisectionConcurrency is still ${bisectionConcurrency}, as when the queue was created, beside concurrency ${concurrency}: the search in a failed batch is slow. Set it, or send null to let it follow concurrency.`,
    },
  ];
};

const noRequiredStatuses = ({ branch }: Queue): Warning => ({
  code: 'NO_REQUIRED_STATUSES',
  sentence: `No required check is known for ${branch}, so every pull request will fail with START_TEST_RUN_NO_REQUIRED_STATUSES. Configure checks for the repository (\`checks\` in the configuration file, \`git config mq.check.<name>.command\`, or the branch rules of the code host), or name them in requiredStatuses. If none is needed, send requiredStatuses: [] with allowNoRequiredStatuses: true.`,
});

const hooksNotRun = (hooks: readonly string[]): Warning => ({
  code: 'HOOKS_NOT_RUN',
  sentence: `The repository has ${hooks.length === 1 ? 'the hook' : 'the hooks'} ${hooks.join(', ')}, which a landing does not run. To run a command after each landing, set \`ci.afterLanding\` in the configuration file.`,
});

const isEmptyOnly = (targets: ImpactedTargets): boolean =>
  targets !== 'ALL' && targets.length > 0 && targets.every((target) => target === '');

/** What a list of targets means: empty strings name nothing, and a list of nothing else was computed wrongly. */
export const targetsMeant = (targets: ImpactedTargets): ImpactedTargets => {
  if (targets === 'ALL' || !targets.includes('')) return targets;
  return isEmptyOnly(targets) ? 'ALL' : targets.filter((target) => target !== '');
};

/** What the answer to setImpactedTargets remarks. */
export const targetWarnings = (targets: ImpactedTargets): readonly Warning[] =>
  isEmptyOnly(targets)
    ? [
        {
          code: 'TARGETS_EMPTY',
          sentence:
            'impactedTargets held nothing but empty strings, and counts as ALL. Send [] for a pull request that touches nothing.',
        },
      ]
    : [];
