import type { ImpactedTargets, TargetsStored } from '@mq/core';
import type { z } from 'zod';
import {
  ECHOED_TARGETS_LIMIT,
  type impactedTargetsAnswer,
  type setImpactedTargetsRequest,
} from '../schemas/targets.js';
import type { WithWarnings } from '../schemas/warnings.js';

export const presentTargets = (targets: ImpactedTargets): string[] | 'ALL' =>
  targets === 'ALL' ? targets : [...targets];

/** The stored targets. The list itself is included only if it is short or was requested. */
export const presentStored = (
  body: z.output<typeof setImpactedTargetsRequest>,
  { sha, impactedTargets, warnings }: TargetsStored,
): z.output<typeof impactedTargetsAnswer> & WithWarnings => ({
  prNumber: body.pr.number,
  prSha: sha,
  impactedTargetsCount: impactedTargets === 'ALL' ? null : impactedTargets.length,
  ...(body.includeImpactedTargets === true || body.impactedTargets.length <= ECHOED_TARGETS_LIMIT
    ? { impactedTargets: presentTargets(impactedTargets) }
    : {}),
  ...(warnings.length === 0 ? {} : { warnings: [...warnings] }),
});
