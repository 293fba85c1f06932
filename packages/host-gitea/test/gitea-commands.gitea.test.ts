import { forgeAt, PEOPLE } from '@mq/test-gitea';
import { commandHostConformance } from '@mq/testkit';
import { describe, expect, inject, test } from 'vitest';
import { giteaWorld } from './gitea-world.js';

const forge = forgeAt(inject('gitea'));
/** The host has times in whole seconds. */
const RESOLUTION_MS = 1_100;

interface TimelineEntry {
  readonly type: string;
  readonly body: string;
}

const [ADA, DAVE] = PEOPLE;
const userOf = (name: string): string => (name === 'ada' ? ADA : DAVE);

commandHostConformance({ describe, test: test.concurrent, expect }, async () => {
  const world = await giteaWorld(forge);
  const { gitea, repo, path } = world;
  const { api } = forge;
  await world.open({ files: { 'change.txt': 'changed\n' }, author: ADA });
  for (const person of PEOPLE) await api('DELETE', `${path}/collaborators/${person}`);
  const give = async (name: string, permission: string) =>
    void (await api('PUT', `${path}/collaborators/${userOf(name)}`, { permission }));
  let pushes = 0;
  return {
    ...{ commands: gitea.commands, repo, roles: ['read', 'write', 'admin'], give, close: world.close },
    pass: () => new Promise((resolve) => setTimeout(resolve, RESOLUTION_MS)),
    comment: async (pr, body, by) => {
      const made = await api('POST', `${path}/issues/${pr}/comments`, { body }, { as: userOf(by) });
      const comment = await gitea.presence.getComment({ repo, pr }, String(made.id));
      if (comment === null) throw new Error('The comment is not there.');
      return comment;
    },
    edit: async (_pr, id, body) => void (await api('PATCH', `${path}/issues/comments/${id}`, { body })),
    label: async (pr, labels, by) => {
      for (const name of labels) await api('POST', `${path}/labels`, { name, color: '#123456' });
      await give(by, 'write');
      await api('PUT', `${path}/issues/${pr}/labels`, { labels }, { as: userOf(by) });
    },
    push: async (pr) => {
      pushes += 1;
      await world.update(pr, { files: { [`more-${pushes}.txt`]: 'more\n' } });
      const { head } = await api('GET', `${path}/pulls/${pr}`);
      const { sha } = head as { readonly sha: string };
      // The host notes a push a moment later, also the push that opened the pull request.
      await forge.until(`${path}/issues/${pr}/timeline`, (entries) =>
        (Object.values(entries) as readonly TimelineEntry[]).some(
          ({ type, body }) => type === 'pull_push' && body.includes(sha),
        ),
      );
    },
    account: async (name) => {
      const { id, login } = await api('GET', `/users/${userOf(name)}`);
      return { id: String(id), name: String(login), isBot: false };
    },
  };
});
