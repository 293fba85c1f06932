import type { Random } from '@mq/random';

export const TARGETS = 5_000;
export const TARGETS_PER_PULL_REQUEST = 20;

/** The targets of a pull request. Few targets are shared by many, most by few (the square of a random number). */
export const drawTargets = (random: Random): readonly string[] => {
  const drawn = new Set<number>();
  while (drawn.size < TARGETS_PER_PULL_REQUEST) drawn.add(Math.floor(TARGETS * random.next() ** 2));
  return [...drawn].map((target) => `//services/team-${target % 40}:target-${target}`).sort();
};
