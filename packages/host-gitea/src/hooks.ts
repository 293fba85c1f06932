import {
  type HostEvent,
  type InboundEvent,
  type InboundHeaders,
  type InboundOptions,
  type InboundReceiver,
  inboundReceiver,
  type RepoRef,
} from '@mq/core';
import { z } from 'zod';
import { commentShape, openedShape } from './discussion-shapes.js';
import { isOfCandidate } from './drafts.js';

const headers: InboundHeaders = {
  signature: ['x-gitea-signature', 'x-forgejo-signature'],
  delivery: ['x-gitea-delivery', 'x-forgejo-delivery'],
  event: ['x-gitea-event', 'x-forgejo-event'],
};

/** The kind of read that each event triggers. Other events are irrelevant for queues. */
const hints: Readonly<Record<string, HostEvent['what']>> = {
  push: 'branch',
  create: 'branch',
  delete: 'branch',
  pull_request: 'pull_requests',
  pull_request_sync: 'pull_requests',
  pull_request_label: 'pull_requests',
  status: 'checks',
};

/** The actions that may be about labels. The event says neither which one changed nor, for a new pull request, who set it. */
const LABEL_ACTIONS: ReadonlySet<string> = new Set(['label_updated', 'label_cleared', 'opened']);

const payload = z.object({
  action: z.string().optional().catch(undefined),
  repository: z.object({ full_name: z.string().max(500) }),
  // Present in events about pull requests. Without a valid number, all pull requests are read.
  number: z.int().min(1).optional().catch(undefined),
  pull_request: openedShape.optional().catch(undefined),
});

/** The name of events about comments, of issues and of pull requests. */
const COMMENT_EVENT = 'issue_comment';

/** A comment as it was written; edited and deleted ones are no commands. */
const commentPayload = z.object({
  action: z.literal('created'),
  is_pull: z.literal(true),
  issue: z.object({ number: z.int().min(1) }),
  comment: commentShape,
});

export interface HookOptions extends Pick<InboundOptions<InboundEvent>, 'take' | 'logger'> {
  /** The name of the host in `RepoRef`. */
  readonly host: string;
  /** Called for each webhook, so that the secret can be rotated at run time. */
  readonly secret: () => string;
  /** False if the repository cannot have a queue; its webhooks are ignored. All are served by default. */
  readonly isServed?: (repo: RepoRef) => boolean;
}

/**
 * Receives webhooks of Gitea or Forgejo. Serve it with `inboundFetch` or `inboundListener` of `@mq/core`. A webhook is
 * only a hint: it triggers reads that find out what has changed, and never changes a queue itself. A new comment of a pull
 * request is passed on with its text, since it may be a command. `take` is for `notice` of a merge queue; the host is answered
 * once that has resolved.
 */
export const hookReceiver = ({
  host,
  secret,
  take,
  logger,
  isServed = () => true,
}: HookOptions): InboundReceiver =>
  inboundReceiver<InboundEvent>({
    headers,
    secrets: () => [secret()],
    take,
    ...(logger === undefined ? {} : { logger }),
    read: (event, body) => {
      const what = hints[event];
      if (what === undefined && event !== COMMENT_EVENT) return { ignored: 'no queue depends on this event' };
      const read = payload.safeParse(body);
      const [owner, name, ...rest] = read.data?.repository.full_name.split('/') ?? [];
      if (owner === undefined || name === undefined || rest.length > 0)
        return { ignored: 'it names no repository' };
      const repo = { host, owner, name };
      if (!isServed(repo)) return { ignored: 'this repository is not served' };
      if (what === undefined) {
        const written = commentPayload.safeParse(body);
        if (!written.success) return { ignored: 'it is not a new comment on a pull request' };
        const { issue, comment } = written.data;
        return [{ repo, what: 'comment', pr: issue.number, comment: comment.comment }];
      }
      if (what !== 'pull_requests') return [{ repo, what }];
      const { number: pr, action = '', pull_request: pull } = read.data ?? {};
      if (pull !== undefined && isOfCandidate(pull)) return { ignored: 'it is about a draft of the queue' };
      const hint: InboundEvent = { repo, what, ...(pr === undefined ? {} : { pr }) };
      return LABEL_ACTIONS.has(action) ? [hint, { repo, what: 'labels' }] : [hint];
    },
  });
