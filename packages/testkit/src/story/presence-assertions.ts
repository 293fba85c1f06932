import type { HostComment } from '@mq/core';
import { QUEUE_ACCOUNT } from '../fake-host/fake-discussion.js';
import type { StoryWorld } from './world.js';

export interface ExpectedPresence {
  /** The comment that is edited; null for none. */
  readonly comment?: RegExp | null;
  /** How many other comments the queue has made. */
  readonly notices?: number;
  /** State and description of the queue's status on the head, such as `pending Waiting: …`; null for none. */
  readonly status?: RegExp | null;
  /** All labels, in any order. */
  readonly labels?: readonly string[];
}

export interface PresenceAssertions {
  sees(pr: number, expected: ExpectedPresence): void;
  commentOn(pr: number): string | null;
  noticesOn(pr: number): readonly string[];
}

/** What people see at pull requests of the fake host. */
export const presenceAssertionsOf = (world: StoryWorld): PresenceAssertions => {
  const { discussion, pulls } = world.repository;
  const ownOf = (pr: number, kind: 'presence' | 'notice'): readonly HostComment[] =>
    discussion
      .of(pr)
      .filter(({ author, body }) => author.id === QUEUE_ACCOUNT.id && body.includes(`<!-- mq:${kind} `));
  const textOf = ({ body }: HostComment): string => body.slice(0, body.lastIndexOf('<!-- mq:')).trimEnd();
  const commentOn = (pr: number): string | null => {
    const comments = ownOf(pr, 'presence');
    if (comments.length > 1) throw world.error(`#${pr} has ${comments.length} comments to be edited.`);
    return comments[0] === undefined ? null : textOf(comments[0]);
  };
  const noticesOn = (pr: number): readonly string[] => ownOf(pr, 'notice').map(textOf);
  const statusOn = (pr: number): string | null => {
    const head = pulls.get(pr)?.head;
    const status =
      head === undefined ? null : discussion.statusOf(head, `Merge Queue (${world.ref.targetBranch})`);
    return status === null ? null : `${status.state} ${status.description}`;
  };
  const fits = (
    pr: number,
    what: string,
    expected: RegExp | null | undefined,
    found: string | null,
  ): void => {
    if (expected === undefined) return;
    if (expected === null ? found !== null : found === null || !expected.test(found))
      throw world.error(`#${pr}: expected ${what} ${String(expected)}, found ${String(found)}.`);
  };
  return {
    commentOn,
    noticesOn,
    sees: (pr, { comment, notices, status, labels }) => {
      fits(pr, 'the comment', comment, commentOn(pr));
      fits(pr, 'the status', status, statusOn(pr));
      const made = noticesOn(pr);
      if (notices !== undefined && made.length !== notices)
        throw world.error(`#${pr}: expected ${notices} notices, found ${made.length}.`);
      const found = [...(pulls.get(pr)?.labels ?? [])].sort().join(', ');
      const wanted = labels === undefined ? found : [...labels].sort().join(', ');
      if (found !== wanted) throw world.error(`#${pr}: expected the labels ${wanted}, found ${found}.`);
    },
  };
};
