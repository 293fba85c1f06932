import type { z } from 'zod';
import { type Fault, MergeQueueError } from './errors.js';
import type { Actor } from './model/actor.js';
import type { InputId } from './model/ids.js';
import { type QueueSettings, queueSettings } from './model/settings.js';
import type { Asking } from './requests.js';

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

const faultsOf = (error: z.ZodError): readonly Fault[] =>
  error.issues.map(({ path, message }) => ({
    path: path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
    message,
  }));
