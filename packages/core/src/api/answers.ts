import { MergeQueueError } from '../errors.js';
import type { CommandResult } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { QueueUpdate, SubmittedView, Warning } from '../validation/requests.js';

/** Turns what a command came to into what its caller gets: the answer, or the error that says why not. */
export const refusalError = (result: Extract<CommandResult, { ok: false }>): MergeQueueError =>
  new MergeQueueError(result.refusal.code, result.refusal.detail, result.refusal.faults, {
    prs: result.refusal.prs,
  });

export const updateOf = (
  result: CommandResult,
  warningsOf: (queue: Queue) => readonly Warning[],
): QueueUpdate => {
  if (!result.ok) throw refusalError(result);
  const { queue } = result;
  return {
    queue,
    requiredChecks: requiredChecksOf(queue),
    landingUnderWay: queue.landing !== null,
    warnings: warningsOf(queue),
  };
};

export const submittedOf = (result: CommandResult): SubmittedView => {
  if (!result.ok) throw refusalError(result);
  if (result.submission === null)
    throw new Error('a pull request was asked about, but the answer holds none');
  return { queue: result.queue, ...result.submission };
};
