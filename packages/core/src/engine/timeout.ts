import type { Clock } from '../ports/clock.js';
import { HostError } from '../ports/code-host.js';

/** Timeout of calls to a host. */
export const ANSWER_LIMIT_MS = 120_000;

/** A call to a host that can be given up early. */
export interface Question {
  /** Makes the call fail as not answered. Set while the call is in progress. */
  giveUp: () => void;
}

/**
 * Resolves with the answer. Rejects with a HostError if it does not come in time, or if `question` is given up before.
 */
export const withTimeout = <Answer>(
  clock: Clock,
  answer: Promise<Answer>,
  question: Question | null = null,
  limitMs = ANSWER_LIMIT_MS,
): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => {
      cancel();
      reject(new HostError('it did not answer in time', 'later'));
    };
    const cancel = callAt(clock, clock.now() + limitMs, giveUp);
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

/** The same host, with the timeout on each call that is answered by a promise. */
export const withTimeouts = <Host extends object>(clock: Clock, host: Host): Host =>
  new Proxy(host, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown => {
        const answer: unknown = Reflect.apply(member, target, args);
        return answer instanceof Promise ? withTimeout(clock, answer) : answer;
      };
    },
  });

/** Calls `ring` once, at `until`, unless the returned function is called before. */
const callAt = (clock: Clock, until: number, ring: () => void): (() => void) => {
  const ended = new AbortController();
  void clock.wait(until, ended.signal).then(() => {
    if (!ended.signal.aborted) ring();
  });
  // An explicit reason avoids creating an exception that no code reads.
  return () => ended.abort('answered');
};
