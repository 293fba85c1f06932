import type { Clock } from '../ports/clock.js';
import { HostError } from '../ports/code-host.js';

/** A host that has not answered by then is taken for one that never will. */
export const ANSWER_LIMIT_MS = 120_000;
const TOO_LATE = Symbol('too late');

/**
 * What a host answers, and an exception where it does not in time, or not before `ended` is aborted: nothing is held up for
 * ever by one that never answers.
 */
export const inTime = async <Answer>(
  clock: Clock,
  answer: Promise<Answer>,
  ended: AbortController = new AbortController(),
): Promise<Answer> => {
  const tooLate = clock
    .wait(clock.now() + ANSWER_LIMIT_MS, ended.signal)
    .then((): typeof TOO_LATE => TOO_LATE);
  try {
    const first = await Promise.race([answer, tooLate]);
    if (first === TOO_LATE) throw new HostError('it did not answer in time', 'later');
    return first;
  } finally {
    // With a reason: without one an exception is made each time, which nobody sees.
    ended.abort('answered');
  }
};
