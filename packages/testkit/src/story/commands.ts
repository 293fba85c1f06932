import type { HostAccount, HostComment, Permission } from '@mq/core';
import { personNamed, QUEUE_ACCOUNT } from '../fake-host/fake-discussion.js';
import type { StoryWorld } from './world.js';

export interface Said {
  /** The name of the person, or an account; by default `ada`. */
  readonly by?: string | HostAccount;
  /** `lost`: no event arrives, so only a poll finds it. */
  readonly event?: 'arrives' | 'lost';
}

/** What people do at pull requests to command the queue, and how it answers. */
export interface CommandVerbs {
  /** Gives people a role in the repository: `{ ada: 'write' }`. */
  gives(roles: Readonly<Record<string, Permission>>): Promise<void>;
  comments(pr: number, body: string, said?: Said): Promise<HostComment>;
  /** A person edits a comment. An event of it arrives, as of hosts that send one. */
  editsComment(pr: number, id: string, body: string): Promise<void>;
  /** The event of this comment arrives, for the first time or again. */
  deliversComment(pr: number, id: string): Promise<void>;
  labels(pr: number, label: string, said?: Said): Promise<void>;
  unlabels(pr: number, label: string, said?: Said): Promise<void>;
  /** What the queue's account has written at a pull request, oldest first. */
  answersAt(pr: number): readonly string[];
  /** The queue's reactions to a comment. */
  reactionsTo(comment: Pick<HostComment, 'id'>): readonly string[];
}

export const commandVerbs = (world: StoryWorld): CommandVerbs => {
  const { repository } = world;
  const { discussion, timeline } = repository;
  const repo = world.ref.repo;
  const heard = (pr: number, comment: HostComment): void =>
    world.hear({ repo, what: 'comment', pr, comment });
  const relabel = (pr: number, { by = 'ada', event = 'arrives' }: Said, labels: readonly string[]) =>
    world.act(() => {
      const before = timeline.labelEvents.length;
      repository.edit(pr, { labels }, accountOf(by));
      if (event === 'lost') return;
      for (const label of timeline.labelEvents.slice(before)) world.hear({ repo, what: 'label', label });
    });
  const labelsOf = (pr: number): readonly string[] => {
    world.open(pr);
    return repository.pulls.get(pr)?.labels ?? [];
  };
  return {
    gives: async (roles) => {
      for (const [name, role] of Object.entries(roles)) timeline.setRole(personNamed(name), role);
    },
    comments: (pr, body, { by = 'ada', event = 'arrives' } = {}) =>
      world.act(() => {
        world.open(pr);
        const comment = discussion.comment(pr, body, accountOf(by));
        if (event === 'arrives') heard(pr, comment);
        return comment;
      }),
    editsComment: (pr, id, body) => world.act(() => heard(pr, discussion.edit(pr, id, body))),
    deliversComment: (pr, id) =>
      world.act(() => {
        const comment = discussion.find(pr, id);
        if (comment !== null) heard(pr, comment);
      }),
    labels: (pr, label, said = {}) => relabel(pr, said, [...new Set([...labelsOf(pr), label])]),
    unlabels: (pr, label, said = {}) =>
      relabel(
        pr,
        said,
        labelsOf(pr).filter((one) => one !== label),
      ),
    answersAt: (pr) =>
      discussion
        .of(pr)
        .filter(({ author }) => author.id === QUEUE_ACCOUNT.id)
        .map(({ body }) => body),
    reactionsTo: ({ id }) =>
      timeline.reactions.filter(({ commentId }) => commentId === id).map(({ reaction }) => reaction),
  };
};

const accountOf = (by: string | HostAccount): HostAccount => (typeof by === 'string' ? personNamed(by) : by);
