import type { Answer, CommandResult } from '@mq/core';
import type { Change, Check } from './ledger.js';

/** The final answer to a command. */
export interface ClientAnswer {
  readonly ok: boolean;
  readonly code: string | null;
  /** The attempt in the answer; null if there is none. */
  readonly attempt: number | null;
}

/** Refusals that one of two concurrent tries may get before either is stored. */
const unstored: ReadonlySet<string> = new Set([
  'QUEUE_NOT_FOUND',
  'PULL_REQUEST_NOT_FOUND',
  'PULL_REQUEST_UNREADABLE',
]);

/** I24: a confirmed command is durable, and repeating it returns the same answer. */
export const answerFaults = (
  id: string,
  given: ClientAnswer,
  answer: Answer | undefined,
): readonly string[] => {
  if (answer === undefined) return given.ok ? [`${id} was confirmed, but its answer was not committed.`] : [];
  if (given.code !== null && unstored.has(given.code)) return [];
  const committed = resultOf(answer.result);
  if (committed.ok !== given.ok || committed.code !== given.code || committed.attempt !== given.attempt)
    return [
      `The answer to ${id} was ${JSON.stringify(given)}, but ${JSON.stringify(committed)} was committed.`,
    ];
  return [];
};

/** I24 without a key: the answer agrees with the history. `attempt` is undefined if the history does not have the command. */
export const keylessAnswerFaults = (
  id: string,
  given: ClientAnswer,
  attempt: number | null | undefined,
): readonly string[] => {
  const isOnRecord = attempt !== undefined;
  return given.ok !== isOnRecord || (given.ok && given.attempt !== attempt)
    ? [
        `The answer to ${id} was ${JSON.stringify(given)}, but the history has ${isOnRecord ? `attempt ${attempt}` : 'nothing'}.`,
      ]
    : [];
};

export const resultOf = (result: CommandResult): ClientAnswer =>
  result.ok
    ? { ok: true, code: null, attempt: result.submission?.submission.attempt ?? null }
    : { ok: false, code: result.refusal.code, attempt: null };

/** I24: an accepted submission is in the queue from the commit that has its answer. */
export const acceptedIsStored: Check = ({ commit, after }: Change) =>
  commit.answers.flatMap(({ inputId, result }) => {
    if (!result.ok || result.submission === null) return [];
    const { submission } = result.submission;
    const row = after.submissions.get(submission.id);
    return row === undefined || row.attempt !== submission.attempt
      ? [`${inputId} was accepted for attempt ${submission.attempt}, which is not in the queue.`]
      : [];
  });
