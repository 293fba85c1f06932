import type { ImpactedTargets } from '@mq/core';

export const presentTargets = (targets: ImpactedTargets): string[] | 'ALL' =>
  targets === 'ALL' ? targets : [...targets];
