import type { Commit, Effect } from '@mq/core';
import { healed, type Weather, weatherOf } from './weather.js';
import type { PlannedCrash } from './world/planned-crashes.js';
import { type Report, simulate } from './world/world.js';

/** One or two calls at which a process crashes. */
export interface CrashPoint {
  readonly name: string;
  readonly crashes: readonly PlannedCrash[];
}

type IsAt = PlannedCrash['isAt'];

const commitWith =
  (holds: (commit: Commit) => boolean): IsAt =>
  (method, [commit]) =>
    method === 'commit' && holds(commit as Commit);
const has = (effects: readonly Effect[], type: Effect['type']): boolean =>
  effects.some((effect) => effect.type === type);
const requests = (type: Effect['type']): IsAt => commitWith(({ effects }) => has(effects, type));
const settles =
  (type: Effect['type']): IsAt =>
  (method, args) =>
    method === 'settle'
      ? has([(args[0] as Commit['settled'][number]).effect], type)
      : commitWith(({ settled }) => settled.some(({ effect }) => effect.type === type))(method, args);
const calls =
  (name: string): IsAt =>
  (method) =>
    method === name;

/** Effects at the host, with the call that performs each. */
const outside = {
  build_candidate: 'buildCandidate',
  start_checks: 'startChecks',
  cancel_checks: 'cancelChecks',
  land: 'land',
  drop_candidate: 'dropCandidate',
} as const satisfies Partial<Record<Effect['type'], string>>;
type Outside = keyof typeof outside;

const boundariesOf = (type: Outside): readonly CrashPoint[] => [
  { name: `${type}: before the effect is committed`, crashes: [{ when: 'before', isAt: requests(type) }] },
  { name: `${type}: committed, not sent`, crashes: [{ when: 'done', isAt: requests(type) }] },
  { name: `${type}: sent, not done`, crashes: [{ when: 'sent', isAt: calls(outside[type]) }] },
  { name: `${type}: done, answer lost`, crashes: [{ when: 'done', isAt: calls(outside[type]) }] },
  { name: `${type}: recorded, next step not begun`, crashes: [{ when: 'done', isAt: settles(type) }] },
];

export const externalPoints: readonly CrashPoint[] = (Object.keys(outside) as Outside[]).flatMap(
  boundariesOf,
);

const commands = (type: string): IsAt =>
  commitWith(({ writes }) => writes.history.some((row) => row.type === 'commanded' && row.command === type));

/** Steps that only use the store. */
const inside: Readonly<Record<string, IsAt>> = {
  submit: commands('submit'),
  cancel: commands('cancel'),
  restart: commands('restart_tests'),
  setTargets: commands('set_impacted_targets'),
  createQueue: calls('createQueue'),
  updateQueue: commitWith(({ writes }) =>
    writes.history.some(({ type, sequence }) => type === 'configured' && sequence > 1),
  ),
  deleteQueue: commitWith(({ writes }) => writes.queue?.deletedAt != null),
  'inbox event': calls('push'),
  'reconcile tick': settles('read_pull_requests'),
  'timer sweep': calls('due'),
  'lease take': calls('lease'),
  'lease renew': calls('renew'),
};

export const storePoints: readonly CrashPoint[] = Object.entries(inside).flatMap(([step, isAt]) => [
  { name: `${step}: before it is written`, crashes: [{ when: 'before', isAt }] },
  { name: `${step}: sent, outcome unknown`, crashes: [{ when: 'sent', isAt }] },
  { name: `${step}: written, answer lost`, crashes: [{ when: 'done', isAt }] },
]);

const reads: ReadonlySet<string> = new Set(['getBranch', 'getPullRequests', 'findPullRequest', 'getChecks']);

/** Points at which the process that recovers may crash too. */
const recovery: Readonly<Record<string, PlannedCrash>> = {
  'the inbox was read': { when: 'done', isAt: calls('load') },
  'the host was read': { when: 'done', isAt: (method) => reads.has(method) },
  'the store was read': { when: 'done', isAt: calls('due') },
  'it has decided': { when: 'before', isAt: calls('commit') },
  'it has written': { when: 'done', isAt: calls('commit') },
};

/** A crash during a landing, and a second one during the recovery. */
export const pairs: readonly CrashPoint[] = [
  ...boundariesOf('land'),
  ...boundariesOf('drop_candidate'),
].flatMap(({ name, crashes }) =>
  Object.entries(recovery).map(([then, crash]) => ({
    name: `${name}; and once more when ${then}`,
    crashes: [...crashes, crash],
  })),
);

/** Maximum number of worlds to try until one reaches the point. */
const WORLDS_LIMIT = 40;

/**
 * Every second world starts without pull requests, and its queue is deleted and created again. In every third the host is so
 * slow that leases must be renewed.
 */
const calmOf = (seed: number): Weather => {
  const weather = healed(weatherOf(seed, []));
  return {
    ...weather,
    replicas: 1,
    acts: 40,
    meddleRate: 0.2,
    pulls: seed % 2 === 0 ? 0 : weather.pulls,
    hostMs: seed % 3 === 0 ? [2_000, 9_000] : weather.hostMs,
  };
};

/** Crashes a process at the point, in a world without other faults; another one takes over. Null if no world reaches it. */
export const crashAt = async ({ crashes }: CrashPoint): Promise<Report | null> => {
  for (let seed = 1; seed <= WORLDS_LIMIT; seed += 1) {
    const weather = calmOf(seed);
    const report = await simulate(seed, { weather, crashes });
    // A process that has already crashed may use up a crash.
    if (report.counts['fault: crash at a point'] === crashes.length || report.violations.length > 0)
      return report;
  }
  return null;
};
