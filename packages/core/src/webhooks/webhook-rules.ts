import { randomBytes } from 'node:crypto';
import { MergeQueueError } from '../errors.js';
import type { Instant } from '../model/ids.js';
import { isSameRepo, type RepoRef } from '../model/repo.js';
import type { Holder } from '../model/token.js';
import type { Webhook } from '../model/webhook.js';
import type { ListQueuesRequest } from '../validation/requests.js';

const SECRET_BYTES = 32;
export const TEST_EVENT_TYPE = 'webhook.test';

/** Events are what the scope `read` shows. */
export const ownedBy = (holder: Holder): Pick<Webhook, 'tokenId' | 'makers'> => {
  if (!holder.scopes.includes('read'))
    throw new MergeQueueError('RIGHTS_EXCEEDED', 'A webhook gets what a token with the scope read may see.');
  const { id: tokenId, familyId, makers } = holder;
  return { tokenId, makers: [...makers, { tokenId, familyId }] };
};

export const isOf = ({ familyId }: Holder, { makers }: Webhook): boolean =>
  makers.some((maker) => maker.familyId === familyId);

export const isSameWhere = (one: Webhook, other: Webhook): boolean =>
  one.branch === other.branch &&
  (one.repo === null || other.repo === null ? one.repo === other.repo : isSameRepo(one.repo, other.repo));

export const refuseDisabled = ({ disabled }: Webhook): void => {
  if (disabled !== null)
    throw new MergeQueueError('WEBHOOK_DISABLED', 'The webhook is disabled, so nothing is delivered to it.');
};

export const keyReused = (): MergeQueueError =>
  new MergeQueueError('IDEMPOTENCY_KEY_REUSED', 'This Idempotency-Key was used for another request.');

/** In the form of the Standard Webhooks specification. */
export const newSecret = (): string => `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;

export const testBody = ({ id, format }: Webhook, now: Instant): string =>
  format === 'slack'
    ? JSON.stringify({ text: 'This is a test delivery of the merge queue.' })
    : JSON.stringify({ type: TEST_EVENT_TYPE, timestamp: new Date(now).toISOString(), webhookId: id });

/** Throws UNKNOWN_HOST for a repository at an unknown host, since the webhook would stay silent. */
export const refuseUnknownHost = async (
  mq: { listQueues(where: ListQueuesRequest): Promise<unknown> },
  repo: RepoRef | null | undefined,
): Promise<void> => {
  if (repo != null) await mq.listQueues({ repo, take: 1 });
};
