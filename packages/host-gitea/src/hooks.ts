import { createHmac, timingSafeEqual } from 'node:crypto';
import type { HostEvent, RepoRef } from '@mq/core';
import { z } from 'zod';

/** The largest body of a webhook that is read. */
export const HOOK_BODY_LIMIT_BYTES = 20 * 1024 * 1024;
/** Delivery ids that are remembered. */
export const DELIVERIES_KEPT = 2_000;
const DELIVERY_LIMIT_CHARS = 100;
const SIGNATURE_SHAPE = /^[0-9a-f]{64}$/i;

export interface HookRequest {
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface HookAnswer {
  readonly status: 200 | 400 | 401 | 413;
  readonly message: string;
}

/** What kind of read each event asks for. Events that are not here change nothing that a queue reads. */
const hints: Readonly<Record<string, HostEvent['what']>> = {
  push: 'branch',
  create: 'branch',
  delete: 'branch',
  pull_request: 'pull_requests',
  pull_request_sync: 'pull_requests',
  pull_request_label: 'pull_requests',
  status: 'checks',
};

const payload = z.object({
  repository: z.object({ full_name: z.string().max(500) }),
});

/**
 * Answers webhooks of a Gitea or Forgejo. The signature is compared over the raw body before anything of it is parsed. A hook is
 * a hint: it never changes a queue, and the reads that it asks for find out what happened.
 */
export const hookReceiver = (options: {
  /** The name of the host in `RepoRef`. */
  readonly host: string;
  /** Asked for each webhook, so that a secret can be replaced while the server runs. */
  readonly secret: () => string;
  readonly hint: (event: HostEvent) => void;
  /** Whether a queue may exist for it. Others are ignored. */
  readonly isServed?: (repo: RepoRef) => boolean;
}): ((request: HookRequest) => HookAnswer) => {
  const { host, secret, hint, isServed = () => true } = options;
  const seen = new Set<string>();
  return ({ headers, body }) => {
    if (body.length > HOOK_BODY_LIMIT_BYTES) return { status: 413, message: 'The body is too large.' };
    if (!isSigned(secret(), single(headers['x-gitea-signature'] ?? headers['x-forgejo-signature']), body))
      return { status: 401, message: 'The signature is missing or wrong.' };
    const delivery = single(headers['x-gitea-delivery'] ?? headers['x-forgejo-delivery']);
    const value = jsonOf(body);
    if (value === undefined) return { status: 400, message: 'The body is no JSON.' };
    if (delivery !== '' && delivery.length <= DELIVERY_LIMIT_CHARS) {
      if (seen.has(delivery)) return ignored('this delivery was read before');
      remember(seen, delivery);
    }
    const what = hints[single(headers['x-gitea-event'] ?? headers['x-forgejo-event'])];
    if (what === undefined) return ignored('no queue depends on this event');
    const read = payload.safeParse(value);
    const [owner, name, ...rest] = read.success ? read.data.repository.full_name.split('/') : [];
    if (owner === undefined || name === undefined || rest.length > 0)
      return ignored('it names no repository');
    const repo = { host, owner, name };
    if (!isServed(repo)) return ignored('this repository is not served');
    hint({ repo, what });
    return { status: 200, message: 'Noted.' };
  };
};

const ignored = (why: string): HookAnswer => ({ status: 200, message: `Ignored: ${why}.` });

const single = (value: string | string[] | undefined): string =>
  typeof value === 'string' ? value : (value?.[0] ?? '');

const isSigned = (secret: string, signature: string, body: Buffer): boolean => {
  if (!SIGNATURE_SHAPE.test(signature)) return false;
  return timingSafeEqual(createHmac('sha256', secret).update(body).digest(), Buffer.from(signature, 'hex'));
};

const jsonOf = (body: Buffer): unknown => {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
};

const remember = (seen: Set<string>, delivery: string): void => {
  seen.add(delivery);
  const [oldest] = seen;
  if (seen.size > DELIVERIES_KEPT && oldest !== undefined) seen.delete(oldest);
};
