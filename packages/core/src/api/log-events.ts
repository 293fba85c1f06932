import { reasons } from '../model/reasons.js';
import type { Logger } from '../ports/logger.js';
import type { MergeQueue } from './merge-queue.js';

/** Logs each new state of a submission at `info`, and each alarm at `warn`. */
export const logEvents = (on: MergeQueue['on'], logger: Logger): void => {
  on('submission.changed', ({ queue, submission }) => {
    const { state, reason, pr } = submission;
    if (submission.stateSince !== queue.decidedAt) return;
    const why = reason === null ? '' : `: ${reasons[reason]}`;
    logger.info({}, `${queue.repo.owner}/${queue.repo.name} ${queue.branch}: #${pr} is ${state}${why}`);
  });
  on('history', (row) => {
    if (row.type === 'alarm') logger.warn({ alarm: row.code, queueId: row.queueId }, row.sentence);
  });
};
