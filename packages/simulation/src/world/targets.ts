import type { ImpactedTargets } from '@mq/core';
import type { Random } from '@mq/random';
import type { Weather } from '../weather.js';

/** Most pull requests touch one or two things, some nothing, some everything. */
export const targetsFor = (random: Random, { targets }: Weather): ImpactedTargets => {
  if (random.chance(0.1)) return 'ALL';
  if (random.chance(0.1)) return [];
  return Array.from({ length: random.int(1, 2) }, () => random.pick(targets));
};
