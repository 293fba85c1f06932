import type { FailedOnTopOf } from '../model/failed-on-top.js';
import { rebaseSteps } from '../model/next-steps.js';
import { filledIn } from '../model/waits.js';
import { prOf, prsOf } from './phrases.js';

/** What to do first about a failure on top of other pull requests. */
export const rebaseStep = ({ prs, haveLanded, target }: FailedOnTopOf, pr: number): string =>
  filledIn(rebaseSteps[haveLanded ? 'merged' : 'merging'], {
    it: prOf(pr),
    others: prsOf(prs.map((other) => ({ pr: other }))),
    have: prs.length === 1 ? 'has' : 'have',
    branch: target,
  });
