import type { CommandHost, HostAccount, HostComment, Permission, RepoRef } from '@mq/core';
import type { TestRunner } from '../store-conformance/world.js';

/** A host with the pull request #1 by ada, and what people do there. */
export interface CommandHostWorld {
  readonly commands: CommandHost;
  readonly repo: RepoRef;
  /** The roles that the host has besides `none`; all by default. */
  readonly roles?: readonly Permission[];
  /** Time passes at the host, at least by its resolution of times. */
  pass(): Promise<void>;
  comment(pr: number, body: string, by: string): Promise<HostComment>;
  edit(pr: number, id: string, body: string): Promise<void>;
  label(pr: number, labels: readonly string[], by: string): Promise<void>;
  give(name: string, role: Permission): Promise<void>;
  push(pr: number): Promise<void>;
  account(name: string): Promise<HostAccount>;
  close?(): Promise<void>;
}

interface World extends CommandHostWorld {
  readonly expect: TestRunner['expect'];
}

const promises: Readonly<Record<string, (world: World) => Promise<void>>> = {
  'lists comments since an instant by their last change, each with its pull request': async (world) => {
    const { commands, repo, expect } = world;
    const first = await world.comment(1, 'first', 'ada');
    await world.pass();
    const second = await world.comment(1, 'second', 'bob');
    await world.pass();
    const bodies = async (since: number) =>
      (await commands.commentsSince(repo, since)).map(({ pr, comment }) => `#${pr} ${comment.body}`);

    expect(await bodies(first.createdAt)).toEqual(['#1 first', '#1 second']);
    expect(await bodies(second.createdAt)).toEqual(['#1 second']);
    await world.edit(1, first.id, 'first, edited');
    expect(await bodies(second.createdAt)).toEqual(['#1 second', '#1 first, edited']);
  },
  'tells an edited comment from one as it was written': async (world) => {
    const { commands, repo, expect } = world;
    const { id, createdAt } = await world.comment(1, 'as written', 'ada');
    const editedAt = async () => (await commands.commentsSince(repo, createdAt))[0]?.comment.editedAt;
    expect(await editedAt()).toBe(null);
    await world.pass();
    await world.edit(1, id, 'edited');
    expect(typeof (await editedAt())).toBe('number');
  },
  'lists each change of a label once, with its actor, also of labels that are gone': async (world) => {
    const { commands, repo, expect } = world;
    await world.label(1, ['land it'], 'ada');
    await world.pass();
    await world.label(1, [], 'bob');
    const events = await commands.labelEventsSince(repo, 0);
    const [ada, bob] = [await world.account('ada'), await world.account('bob')];

    expect(events.map(({ pr, label, change, actor }) => `${actor.id} ${change} ${label} at #${pr}`)).toEqual([
      `${ada.id} added land it at #1`,
      `${bob.id} removed land it at #1`,
    ]);
    expect(await commands.labelEventsSince(repo, 0)).toEqual(events);
    expect(new Set(events.map(({ id }) => id)).size).toBe(2);
  },
  'answers the present role of an account, and none for one without': async (world) => {
    const { commands, repo, expect } = world;
    const ada = await world.account('ada');
    expect(await commands.permissionOf(repo, ada)).toBe('none');
    for (const role of world.roles ?? (['read', 'write', 'maintain', 'admin'] as const)) {
      await world.give('ada', role);
      expect(await commands.permissionOf(repo, ada)).toBe(role);
    }
    expect(await commands.permissionOf(repo, { ...ada, id: 'no-such-account' })).toBe('none');
  },
  'tells the author of a pull request, and when its head was pushed, where it can': async (world) => {
    const { commands, repo, expect } = world;
    const before = await commands.originOf({ repo, pr: 1 });
    expect(before?.author?.id).toBe((await world.account('ada')).id);
    expect(await commands.originOf({ repo, pr: 99 })).toBe(null);
    await world.pass();
    await world.push(1);
    const after = await commands.originOf({ repo, pr: 1 });
    if (before?.pushedAt == null) expect(after?.pushedAt).toBe(null);
    else expect((after?.pushedAt ?? 0) > before.pushedAt).toBe(true);
  },
  'reacts to a comment once, however often it is asked, and to none that is gone': async (world) => {
    const { commands, repo } = world;
    const { id } = await world.comment(1, '/mq merge', 'ada');
    for (const reaction of ['accepted', 'accepted', 'refused'] as const)
      await commands.react({ repo, pr: 1 }, id, reaction);
    await commands.react({ repo, pr: 1 }, '987654321', 'accepted');
  },
  'writes as its own account': async (world) => {
    const { commands, repo, expect } = world;
    const { author } = await commands.createComment({ repo, pr: 1 }, 'an answer');
    expect(author.id).toBe((await commands.ownAccount(repo)).id);
  },
};

/** What every host that takes commands promises. `open` answers a world of its own for each test. */
export const commandHostConformance = (
  { describe, test, expect }: TestRunner,
  open: () => Promise<CommandHostWorld>,
): void => {
  describe('a host that takes commands', () => {
    for (const [sentence, holds] of Object.entries(promises))
      test(sentence, async () => {
        const world = await open();
        try {
          await holds({ ...world, expect });
        } finally {
          await world.close?.();
        }
      });
  });
};
