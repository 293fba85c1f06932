import type { Answer, CommandResult } from '@mq/core';
import type { Change, Check } from './ledger.js';

/** What a person was told in the end; null where nobody could say. */
export interface Told {
  readonly ok: boolean;
  readonly code: string | null;
  /** The attempt that the answer speaks of; null where it speaks of none. */
  readonly attempt: number | null;
}

/** What one of two tries that are under way at once may be told before anything of it is stored. */
const unstored: ReadonlySet<string> = new Set([
  'QUEUE_NOT_FOUND',
  'PULL_REQUEST_NOT_FOUND',
  'PULL_REQUEST_UNREADABLE',
]);

/** I24: what is confirmed is durable, and whoever asks again is told the same. */
export const toldFaults = (id: string, told: Told, answer: Answer | undefined): readonly string[] => {
  if (answer === undefined) return told.ok ? [`${id} was confirmed, and no commit holds its answer.`] : [];
  if (told.code !== null && unstored.has(told.code)) return [];
  const committed = resultOf(answer.result);
  if (committed.ok !== told.ok || committed.code !== told.code || committed.attempt !== told.attempt)
    return [`${id} was told ${JSON.stringify(told)}; ${JSON.stringify(committed)} was committed.`];
  return [];
};

/** I24, for whoever has no key: what was told is what the history has under that name. Undefined where it has nothing. */
export const toldOnceFaults = (
  id: string,
  told: Told,
  attempt: number | null | undefined,
): readonly string[] => {
  const isOnRecord = attempt !== undefined;
  return told.ok !== isOnRecord || (told.ok && told.attempt !== attempt)
    ? [
        `${id} was told ${JSON.stringify(told)} once; on record is ${isOnRecord ? `attempt ${attempt}` : 'nothing'}.`,
      ]
    : [];
};

export const resultOf = (result: CommandResult): Told =>
  result.ok
    ? { ok: true, code: null, attempt: result.submission?.submission.attempt ?? null }
    : { ok: false, code: result.refusal.code, attempt: null };

/** I24: an accepted submission is in the queue from the very commit that holds the answer. */
export const acceptedIsThere: Check = ({ commit, after }: Change) =>
  commit.answers.flatMap(({ inputId, result }) => {
    if (!result.ok || result.submission === null) return [];
    const { submission } = result.submission;
    const row = after.submissions.get(submission.id);
    return row === undefined || row.attempt !== submission.attempt
      ? [`${inputId} was accepted for attempt ${submission.attempt}, which is not there.`]
      : [];
  });
