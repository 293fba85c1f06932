import { FORK_COMMAND_FRESH_MS, type HostCommand, type HostRequest } from '../model/host-command.js';
import type { Instant, Sha } from '../model/ids.js';

/** What the host shows of the pull request when the command is carried out. */
export interface ShownHead {
  readonly head: Sha;
  readonly isFromFork: boolean;
  /** When the head was last pushed; null if the host does not show it. */
  readonly pushedAt: Instant | null;
}

/** The head that a merge is about, or why it is not known which one the person meant. */
export type Pinned =
  | { readonly kind: 'pinned'; readonly head: Sha }
  | { readonly kind: 'uncertain' }
  | { readonly kind: 'differs'; readonly named: string };

/**
 * The head that the person saw. A command that names a commit means that one. Otherwise the head must not have been pushed
 * since, and a fork, whose author may push at any moment, must have been seen at once.
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
