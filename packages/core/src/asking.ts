import { z } from 'zod';
import { type Fault, MergeQueueError } from './errors.js';
import type { Actor } from './model/actor.js';
import type { InputId } from './model/ids.js';
import { PRIORITY_MAX } from './model/priority.js';
import { wantedStatuses } from './model/queue.js';
import { type QueueSettings, queueSettings } from './model/settings.js';
import type { Asking, SubmitRequest } from './requests.js';

const PR_NUMBER_MAX = 4_294_967_295;
const theEmbedder: Actor = { kind: 'embedder', id: null, name: 'the embedding program' };

/** What every command carries: its id, who asks, and the digest by which a repeated request is known. */
export const askedBy = (request: Asking, uuid: () => string) => ({
  id: (request.idempotency?.id ?? uuid()) as InputId,
  digest: request.idempotency?.digest ?? null,
  actor: request.actor ?? theEmbedder,
});

const someSettings = queueSettings.partial();

/** The settings that were named, or every fault of them at once. */
export const checkedSettings = (settings: Partial<QueueSettings> | undefined): Partial<QueueSettings> => {
  const parsed = someSettings.safeParse(settings ?? {});
  if (!parsed.success)
    throw new MergeQueueError('INVALID_SETTINGS', 'Some settings are not valid.', faultsOf(parsed.error));
  return Object.fromEntries(
    Object.entries(parsed.data).filter(([, value]) => value !== undefined),
  ) as Partial<QueueSettings>;
};

const submitRequest = z.object({
  pr: z.int().min(1).max(PR_NUMBER_MAX),
  priority: z.int().min(0).max(PRIORITY_MAX).nullable().optional(),
});

/** What decides the place in line comes from outside: a number that is none must never reach it. */
export const checkSubmit = (request: SubmitRequest): void => {
  const parsed = submitRequest.safeParse(request);
  if (!parsed.success)
    throw new MergeQueueError('INVALID_REQUEST', 'The submission is not valid.', faultsOf(parsed.error));
};

const wantedStatus = z.enum(wantedStatuses).optional();

export const checkWanted = (wanted: unknown): void => {
  if (!wantedStatus.safeParse(wanted).success)
    throw new MergeQueueError(
      'INVALID_REQUEST',
      `A queue can be ${wantedStatuses.join(', ')}, not ${String(wanted)}.`,
    );
};

const faultsOf = (error: z.ZodError): readonly Fault[] =>
  error.issues.map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    message,
  }));
