import { MergeQueueError } from '../errors.js';
import type { CommandResult } from '../model/input.js';
import type { Queue } from '../model/queue.js';
import { requiredChecksOf } from '../model/required-checks.js';
import type { QueueUpdate, SubmittedView, Warning } from '../validation/requests.js';

/** The error for a refused command. */
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
    throw new Error('the answer to a command about a pull request has no submission');
  return { queue: result.queue, ...result.submission };
};
