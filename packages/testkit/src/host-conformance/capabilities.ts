import type { HostEvent } from '@mq/core';
import type { ContractTests } from './under-test.js';

/** What a host offers by the parts of the port that it has. The suites of presence and commands ask for the rest. */
export const capabilities: ContractTests = {
  'a host that gives hints gives them for the branch and the pull requests of its own landing': async (
    under,
    expect,
  ) => {
    const { host, repo } = under.world;
    const hinted: HostEvent[] = [];
    const end = host.onEvent?.((event) => hinted.push(event));
    if (end === undefined) return;
    const built = await under.build([await under.open({ 'a.txt': 'a\n' })]);
    hinted.length = 0;
    expect((await under.land(built)).kind).toBe('landed');
    end();
    expect([...new Set(hinted.map(({ what }) => what))].sort()).toEqual(['branch', 'pull_requests']);
    for (const { repo: of } of hinted)
      expect([of.host, of.owner, of.name]).toEqual([repo.host, repo.owner, repo.name]);
  },

  'a host that offers presence shows a comment, a status and a label at a pull request': async (
    under,
    expect,
  ) => {
    const { presence } = under.world.host;
    if (presence === undefined) return;
    const { repo } = under.world;
    const pr = await under.open({ 'a.txt': 'a\n' });
    const { head } = await under.pull(pr);
    await presence.createComment({ repo, pr }, 'Waiting.');
    await presence.setStatus(repo, head, {
      name: 'queue',
      state: 'pending',
      description: 'Waiting.',
      url: null,
    });
    await presence.changeLabels({ repo, pr }, { add: ['queued'], remove: [] });
    const { comments } = await presence.listComments({ repo, pr });
    expect(comments.map(({ body }) => body)).toEqual(['Waiting.']);
    expect((await presence.getStatus(repo, head, 'queue'))?.state).toBe('pending');
    expect(await presence.getLabels({ repo, pr })).toEqual(['queued']);
  },

  'a host that offers commands reads a comment, the role of its author, and who opened the pull request':
    async (under, expect) => {
      const { commands } = under.world.host;
      if (commands === undefined) return;
      const { repo } = under.world;
      const pr = await under.open({ 'a.txt': 'a\n' });
      const { id, author } = await commands.createComment({ repo, pr }, '/mq why');
      const read = await commands.commentsSince(repo, 0);
      expect(read.map((one) => [one.pr, one.comment.id, one.comment.body])).toEqual([[pr, id, '/mq why']]);
      expect((await commands.ownAccount(repo)).id).toBe(author.id);
      expect(typeof (await commands.permissionOf(repo, author))).toBe('string');
      expect((await commands.originOf({ repo, pr }))?.author === null).toBe(false);
      expect(await commands.originOf({ repo, pr: pr + 100 })).toBe(null);
    },
};
