import { BISECTION_SHARE_MIN } from '../explain/diagnose.js';
import { isSameWithin } from '../model/equality.js';
import type { ImpactedTargets } from '../model/impacted-targets.js';
import type { Queue } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { QueueSettings } from '../model/settings.js';
import type { HostCapabilities, HostCapability } from '../ports/capabilities.js';
import type { Warning } from '../validation/requests.js';

/** The warnings of createQueue. `hooks`: those of the repository that a landing does not run. */
export const creationWarnings = (queue: Queue, hooks: readonly string[]): readonly Warning[] => [
  ...(requiredChecksOf(queue) === null ? [noRequiredStatuses(queue)] : []),
  ...(hooks.length === 0 ? [] : [hooksNotRun(hooks)]),
  ...forkTargetsTrusted(queue),
];

/** The warnings of updateQueue. */
export const updateWarnings = (queue: Queue): readonly Warning[] => [
  ...bisectionConcurrencyLow(queue),
  ...forkTargetsTrusted(queue),
];

/** The features of the code host that a setting needs. */
const neededFor: Partial<Readonly<Record<keyof QueueSettings, HostCapability>>> = {
  ...{ commentsEnabled: 'presence', statusCheckEnabled: 'presence', stateLabelsEnabled: 'presence' },
  ...{ commandsEnabled: 'commands', labelCommandsEnabled: 'commands', enqueueingLabel: 'commands' },
  ...{ allowedBotSubmitters: 'commands', createPrsForTestingBranches: 'drafts' },
};

/**
 * The warning about requested settings that need a feature which the code host lacks. A setting with the same value
 * `before` causes none, so that settings can be written back as they were read.
 */
export const settingsWithoutEffect = (
  settings: Partial<QueueSettings>,
  before: Partial<QueueSettings>,
  offered: HostCapabilities,
  host: string,
): readonly Warning[] => {
  const needs = Object.entries(neededFor) as [keyof QueueSettings, HostCapability][];
  const inert = needs.filter(
    ([setting, need]) =>
      !offered[need] &&
      asksForSomething(settings[setting]) &&
      !isSameWithin(settings[setting], before[setting]),
  );
  if (inert.length === 0) return [];
  const names = inert.map(([setting]) => setting).join(', ');
  const lacking = [...new Set(inert.map(([, need]) => need))].join(', ');
  return [
    {
      code: 'SETTING_WITHOUT_EFFECT',
      sentence: `${names} ${inert.length === 1 ? 'is' : 'are'} stored and will have no effect: the code host ${host} does not offer ${lacking}. Its capabilities are in the reference of code hosts.`,
    },
  ];
};

const asksForSomething = (value: QueueSettings[keyof QueueSettings] | undefined): boolean =>
  Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false;

const bisectionConcurrencyLow = (queue: Queue): readonly Warning[] => {
  const { bisectionConcurrency, concurrency } = queue.settings;
  if (queue.isBisectionConcurrencySet || bisectionConcurrency === null) return [];
  if (bisectionConcurrency >= concurrency * BISECTION_SHARE_MIN) return [];
  return [
    {
      code: 'BISECTION_CONCURRENCY_LOW',
      sentence: `bisectionConcurrency is still ${bisectionConcurrency}, its value from the creation of the queue, while concurrency is ${concurrency}: bisecting a failed batch will be slow. Set it, or send null to make it follow concurrency.`,
    },
  ];
};

const forkTargetsTrusted = ({ settings }: Queue): readonly Warning[] =>
  settings.trustForkTargets
    ? [
        {
          code: 'FORK_TARGETS_TRUSTED',
          sentence:
            'trustForkTargets is on: a pull request from a fork then decides itself which targets it touches, and so with which others it is tested. Keep it on only if you trust everyone who can open a pull request.',
        },
      ]
    : [];

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

/**
 * The targets that a list stands for. Empty strings are dropped; a list with nothing else was computed wrongly and
 * counts as ALL.
 */
export const targetsMeant = (targets: ImpactedTargets): ImpactedTargets => {
  if (targets === 'ALL' || !targets.includes('')) return targets;
  return isEmptyOnly(targets) ? 'ALL' : targets.filter((target) => target !== '');
};

/** The warnings of setImpactedTargets. */
export const targetWarnings = (targets: ImpactedTargets): readonly Warning[] =>
  isEmptyOnly(targets)
    ? [
        {
          code: 'TARGETS_EMPTY',
          sentence:
            'impactedTargets had only empty strings and counts as ALL. Send [] for a pull request that touches nothing.',
        },
      ]
    : [];
