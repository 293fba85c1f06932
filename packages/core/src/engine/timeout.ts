import type { Clock } from '../ports/clock.js';
import { HostError } from '../ports/code-host.js';

/** A host that has not answered by then is taken for one that never will. */
export const ANSWER_LIMIT_MS = 120_000;

/** What a host was asked, for whoever does not wait for its answer any more. */
export interface Question {
  /** From here on it counts as not answered. Set while it is asked. */
  giveUp: () => void;
}

/**
 * What a host answers, and an exception where it does not in time, or not before `question` is given up: nothing is held up for
 * ever by one that never answers.
 */
export const withTimeout = <Answer>(
  clock: Clock,
  answer: Promise<Answer>,
  question: Question | null = null,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => {
      cancel();
      reject(new HostError('it did not answer in time', 'later'));
    };
    const cancel = callAt(clock, clock.now() + ANSWER_LIMIT_MS, giveUp);
    if (question !== null) question.giveUp = giveUp;
    answer.then(
      (value) => {
        cancel();
        resolve(value);
      },
      (error: unknown) => {
        cancel();
        reject(error);
      },
    );
  });

/** Calls `ring` once, at `until`, unless the returned function is called before. */
const callAt = (clock: Clock, until: number, ring: () => void): (() => void) => {
  const ended = new AbortController();
  void clock.wait(until, ended.signal).then(() => {
    if (!ended.signal.aborted) ring();
  });
  // With a reason: without one an exception is made each time, which nobody sees.
  return () => ended.abort('answered');
};
