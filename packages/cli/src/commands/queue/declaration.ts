import { queueSettingNames } from '@mq/client';
import type { Repo } from '../../checkout/remote.js';
import type { Schemas } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { nearestName } from '../../nearest-name.js';

/** The declared queues: what `queue export` prints and `queue apply` takes. */
export interface Declaration {
  readonly queues: readonly DeclaredQueue[];
}

export interface DeclaredQueue {
  readonly repo: Repo;
  readonly targetBranch: string;
  readonly [setting: string]: unknown;
}

export interface Difference {
  readonly setting: string;
  /** Undefined in a queue that does not exist yet. */
  readonly from?: unknown;
  readonly to: unknown;
}

/** Fields that a file does not declare: the state and the freeze are momentary, and the others are requests. */
const NOT_DECLARED = [
  ...['state', 'stateReason', 'cancelPending', 'deleteRequiredStatuses', 'allowNoRequiredStatuses'],
  ...['freezeUntil', 'freezeReason', 'freezeAllowsUrgent', 'allowPublicForkTargets'],
];

const FILE_LIMIT_QUEUES = 1_000;

export const declaredOf = (queue: Schemas['Queue']): DeclaredQueue => {
  const values = new Map<string, unknown>(Object.entries(queue));
  const names = queueSettingNames.filter((name) => values.has(name) && !NOT_DECLARED.includes(name));
  const settings = Object.fromEntries(names.map((name) => [name, values.get(name)]));
  // Checks that the host requires are not declared: the host determines them.
  if (queue.requiredStatusesSource !== 'queue') delete settings.requiredStatuses;
  return { repo: queue.repo, targetBranch: queue.branch, ...settings };
};

const wrong = (file: string, why: string): CliError =>
  new CliError('FILE_WRONG', `${file} ${why}`, exitCodes.wrongUse, '`mq queue export` prints a valid file.');

export const declarationIn = (text: string, file: string): Declaration => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw wrong(file, `is not JSON: ${error instanceof Error ? error.message : String(error)}.`);
  }
  const queues: unknown = typeof json === 'object' && json !== null && 'queues' in json ? json.queues : null;
  if (!Array.isArray(queues) || queues.length > FILE_LIMIT_QUEUES)
    throw wrong(file, `has no list \`queues\` of at most ${FILE_LIMIT_QUEUES}.`);
  for (const [index, queue] of queues.entries()) checkQueue(queue, `${file}: queues[${index}]`);
  return { queues };
};

const checkQueue = (queue: unknown, where: string): void => {
  if (typeof queue !== 'object' || queue === null) throw wrong(where, 'is not an object.');
  const { repo, targetBranch, ...settings } = queue as DeclaredQueue;
  if (typeof targetBranch !== 'string') throw wrong(where, 'has no `targetBranch`.');
  for (const field of ['host', 'owner', 'name'] as const)
    if (typeof repo?.[field] !== 'string') throw wrong(where, `has no \`repo.${field}\`.`);
  const known: readonly string[] = queueSettingNames.filter((name) => !NOT_DECLARED.includes(name));
  const unknown = Object.keys(settings).find((name) => !known.includes(name) && !NOT_DECLARED.includes(name));
  if (unknown !== undefined) {
    const meant = nearestName(unknown, known);
    const hint = meant === null ? '' : ` Did you mean \`${meant}\`?`;
    throw wrong(where, `has an unknown setting \`${unknown}\`.${hint}`);
  }
  const momentary = Object.keys(settings).find((name) => NOT_DECLARED.includes(name));
  if (momentary !== undefined)
    throw wrong(
      where,
      `declares \`${momentary}\`, which is a state and not a setting: use mq queue set, pause or freeze.`,
    );
};

/** The same text for equal values, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    typeof one === 'object' && one !== null && !Array.isArray(one)
      ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
      : one,
  );

/** What a file would change. `null` and the source `host` follow another setting, so the value in force is compared. */
export const differences = (
  declared: DeclaredQueue,
  queue: Schemas['Queue'] | null,
): readonly Difference[] => {
  const { repo: _, targetBranch: __, ...settings } = declared;
  const values = new Map<string, unknown>(Object.entries(queue ?? {}));
  return Object.entries(settings).flatMap(([setting, to]) => {
    if (queue === null) return [{ setting, to }];
    const from = values.get(setting);
    const isHost = setting === 'requiredStatusesSource' && to === 'host' && from === null;
    const isFollowing =
      setting === 'bisectionConcurrency' && to === null && from === values.get('concurrency');
    return isHost || isFollowing || canonical(from) === canonical(to) ? [] : [{ setting, from, to }];
  });
};
