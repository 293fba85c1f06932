import type { Random } from '@mq/random';
import { BROKEN } from '@mq/test-gitea';

/** The fate of a pull request, apart from the kills. */
export const fates = ['good', 'rival', 'failing', 'pushed', 'closed'] as const;
export type Fate = (typeof fates)[number];

export interface PlannedPull {
  /** Its head branch and its title. */
  readonly name: string;
  readonly fate: Fate;
  readonly files: Readonly<Record<string, string>>;
}

/** Two rivals write this file, differently. */
const RIVALS = 2;
const weights: Readonly<Record<Fate, number>> = { good: 14, rival: 4, failing: 4, pushed: 3, closed: 3 };

/** The pull requests of a run, in the order in which they are submitted: at least one of each fate, and two rivals. */
export const plannedPulls = (random: Random, count: number): readonly PlannedPull[] => {
  const drawn = [...fates, 'rival' as const];
  while (drawn.length < count) drawn.push(random.weighted(weights));
  const numbers = new Map<Fate, number>();
  const pulls = drawn.map((fate): PlannedPull => {
    const number = (numbers.get(fate) ?? 0) + 1;
    numbers.set(fate, number);
    const name = `${fate}-${number}`;
    const file = fate === 'rival' ? `rivals-${Math.ceil(number / RIVALS)}.txt` : `${name}.txt`;
    return { name, fate, files: { [file]: `${fate === 'failing' ? BROKEN : 'sound'} ${name}\n` } };
  });
  return pulls
    .map((pull) => ({ pull, at: random.next() }))
    .sort((one, other) => one.at - other.at)
    .map(({ pull }) => pull);
};

/** The rivals of one file: exactly one of them can land. */
export const rivalries = (pulls: readonly PlannedPull[]): readonly (readonly PlannedPull[])[] => {
  const byFile = new Map<string, PlannedPull[]>();
  for (const pull of pulls.filter(({ fate }) => fate === 'rival'))
    for (const file of Object.keys(pull.files)) byFile.set(file, [...(byFile.get(file) ?? []), pull]);
  return [...byFile.values()];
};

/** Settings of the queue, so that runs differ. */
export const plannedSettings = (random: Random): Readonly<Record<string, unknown>> => ({
  concurrency: random.int(1, 5),
  mergeMethod: random.pick(['squash', 'merge_commit', 'rebase']),
  ...(random.chance(0.5)
    ? { batch: true, batchingMinSize: random.int(2, 4), batchingMaxWaitTimeMinutes: 1 }
    : {}),
});
