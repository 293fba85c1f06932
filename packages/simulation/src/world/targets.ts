import type { ImpactedTargets } from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';

/** Most pull requests have one or two targets, some none, some ALL. */
export const targetsFor = (random: Random, { targets }: Weather): ImpactedTargets => {
  if (random.chance(0.1)) return 'ALL';
  if (random.chance(0.1)) return [];
  return Array.from({ length: random.int(1, 2) }, () => random.pick(targets));
};
