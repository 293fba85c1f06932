import { FORK_COMMAND_FRESH_MS, type HostCommand, type HostRequest } from '../model/host-command.js';
import type { Instant, Sha } from '../model/ids.js';

/** The head of the pull request when the command is carried out. */
export interface ShownHead {
  readonly head: Sha;
  readonly isFromFork: boolean;
  /** When the head was last pushed; null if the host cannot tell. */
  readonly pushedAt: Instant | null;
}

/** The head to be merged, or why it is not certain. */
export type Pinned =
  | { readonly kind: 'pinned'; readonly head: Sha }
  | { readonly kind: 'uncertain' }
  | { readonly kind: 'differs'; readonly named: string };

/**
 * Determines the head that the person reviewed, so that no later push is merged by their command. A named commit must be the
 * head. Without one, the head must not have been pushed since the command was written. For a fork, whose author may push at
 * any moment, the command must also have been seen within `FORK_COMMAND_FRESH_MS`.
 */
export const pinnedHead = (
  request: Extract<HostRequest, { kind: 'merge' }>,
  { writtenAt, seenAt }: Pick<HostCommand, 'writtenAt' | 'seenAt'>,
  { head, isFromFork, pushedAt }: ShownHead,
): Pinned => {
  if (request.head !== null)
    return head.startsWith(request.head)
      ? { kind: 'pinned', head }
      : { kind: 'differs', named: request.head };
  const wasPushed = pushedAt !== null && pushedAt > writtenAt;
  const isUnsure = isFromFork && seenAt - writtenAt > FORK_COMMAND_FRESH_MS;
  return wasPushed || isUnsure ? { kind: 'uncertain' } : { kind: 'pinned', head };
};
