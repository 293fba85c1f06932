import type { Random } from '@mq/random';

export const TARGETS = 5_000;
export const TARGETS_PER_PULL_REQUEST = 20;

/** What a pull request touches: of few targets everybody has one, most are touched seldom (by the square of chance). */
export const drawTargets = (random: Random): readonly string[] => {
  const drawn = new Set<number>();
  while (drawn.size < TARGETS_PER_PULL_REQUEST) drawn.add(Math.floor(TARGETS * random.next() ** 2));
  return [...drawn].map((target) => `//services/team-${target % 40}:target-${target}`).sort();
};
