import { MergeQueueError } from '../errors.js';
import type { Answer, Command, CommandResult } from '../model/input.js';
import type { Store } from '../ports/store.js';

/** Identifies equal requests. `id` is null if the request is never repeated. */
type RequestKey = Pick<Command, 'digest'> & { readonly id: Command['id'] | null };

/**
 * Runs a request, or returns the stored answer of an equal one without asking the host. Rejects with
 * IDEMPOTENCY_KEY_REUSED if the id was used for another request. If two equal requests run at once and one fails
 * because of the other, it returns the answer of the other.
 */
export const idempotently = async (
  store: Pick<Store, 'answers'>,
  request: RequestKey,
  carryOut: () => Promise<CommandResult>,
): Promise<CommandResult> => {
  const before = await answerTo(store, request);
  if (before !== null) return before.result;
  try {
    return await carryOut();
  } catch (error) {
    const twin = error instanceof MergeQueueError ? await answerTo(store, request) : null;
    if (twin === null) throw error;
    return twin.result;
  }
};

const answerTo = async (
  store: Pick<Store, 'answers'>,
  { id, digest }: RequestKey,
): Promise<Answer | null> => {
  if (id === null) return null;
  const answer = (await store.answers([id]))[0];
  if (answer === undefined) return null;
  if (answer.digest === digest) return answer;
  throw new MergeQueueError('IDEMPOTENCY_KEY_REUSED', 'This idempotency key was used for another request.');
};
