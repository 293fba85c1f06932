import type { LandOutcome } from '../model/outcomes.js';
import { type CodeHost, HostError, type LandRequest } from '../ports/code-host.js';

/** From this try on (about 1 min after the first) the queue finds out whether a landing of unknown outcome happened. */
const INQUIRY_FROM_TRY = 8;

/**
 * Calls `land` of the host. A `never` without a reach becomes a refusal, which is counted and ends like one that asks to
 * wait: retried as an unknown outcome, it would block the queue forever. So does an error that lasts and names no time
 * for a retry.
 */
export const tryLanding = async (
  host: CodeHost,
  request: LandRequest,
  tries: number,
): Promise<LandOutcome> => {
  try {
    return await host.land(request);
  } catch (error) {
    if (!(error instanceof HostError) || error.reach !== null) throw error;
    const isLasting = tries >= INQUIRY_FROM_TRY && error.retryAt === null;
    if (error.retry !== 'never' && !isLasting) throw error;
    return refusalUnlessLanded(host, request, error.message);
  }
};

/**
 * The failed call, an earlier one or one of another replica may have landed it. Without the candidate nothing can land
 * any more, so the second call only reports whether it has happened. Throws if that stays unknown.
 */
const refusalUnlessLanded = async (
  host: CodeHost,
  request: LandRequest,
  message: string,
): Promise<LandOutcome> => {
  const { repo, runId, members } = request;
  await host.dropCandidate({ repo, runId, isRunOpen: true });
  const outcome = await host.land(request);
  if (outcome.kind !== 'candidate_gone') return outcome;
  const [only, ...others] = members;
  const pr = only === undefined || others.length > 0 ? null : only.pr;
  return { kind: 'refused', class: 'wait', pr, message };
};
