import type { LandOutcome } from '../model/outcomes.js';
import { type CodeHost, HostError, type LandRequest } from '../ports/code-host.js';

/** From this try on (about 1 min after the first) an error lasts: the queue goes on without the answer, if it can. */
const INQUIRY_FROM_TRY = 8;

/**
 * True if retrying this error of the host's gives the same answer, or has given it for several tries. False if it is
 * about the repository or the access to it, or names a time for a retry.
 */
export const isLasting = (error: unknown, tries: number): error is HostError =>
  error instanceof HostError &&
  error.reach === null &&
  (error.retry === 'never' || (tries >= INQUIRY_FROM_TRY && error.retryAt === null));

/** One try of a landing. */
interface Try {
  readonly host: CodeHost;
  readonly request: LandRequest;
  readonly tries: number;
}

/**
 * Performs a step of a landing: `land` of the host, or the reads before it. A `never` without a reach becomes a refusal,
 * which is counted and ends like one that asks to wait: retried as an unknown outcome, it would block the queue forever.
 * So does an error that lasts and names no time for a retry. `findMember` returns the pull request that the error is
 * about, null if unknown.
 */
export const tryLanding = async <Answer>(
  { host, request, tries }: Try,
  step: () => Promise<Answer>,
  findMember: () => Promise<number | null> = async () => null,
): Promise<Answer | LandOutcome> => {
  try {
    return await step();
  } catch (error) {
    if (!isLasting(error, tries)) throw error;
    return refusalUnlessLanded(host, request, error, findMember);
  }
};

/**
 * The failed call, an earlier one or one of another replica may have landed it. Without the candidate nothing can land
 * any more, so the second call only reports whether it has happened. Throws if that stays unknown.
 */
const refusalUnlessLanded = async (
  host: CodeHost,
  request: LandRequest,
  { message, retry }: HostError,
  findMember: () => Promise<number | null>,
): Promise<LandOutcome> => {
  const { repo, runId, members } = request;
  await host.dropCandidate({ repo, runId, isRunOpen: true });
  const outcome = await host.land(request);
  if (outcome.kind !== 'candidate_gone') return outcome;
  const [only, ...others] = members;
  const pr = only === undefined || others.length > 0 ? await findMember() : only.pr;
  const isUnanswered = retry === 'never' ? {} : { isUnanswered: true as const };
  return { kind: 'refused', class: 'wait', pr, message, ...isUnanswered };
};
