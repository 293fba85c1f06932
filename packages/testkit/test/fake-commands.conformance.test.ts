import { describe, expect, test } from 'vitest';
import { commandHostConformance, fakeHost, personNamed, aRepo as repo, virtualClock } from '../src/index.js';

commandHostConformance({ describe, test, expect }, async () => {
  const clock = virtualClock();
  const host = fakeHost({ clock });
  const made = host.createRepository({ ref: repo });
  const { discussion, timeline } = made;
  made.openPullRequest({ number: 1, author: 'ada' });
  return {
    ...{ commands: host.commands, repo },
    pass: async () => clock.advance(1_000),
    comment: async (pr, body, by) => discussion.comment(pr, body, personNamed(by)),
    edit: async (pr, id, body) => void discussion.edit(pr, id, body),
    label: async (pr, labels, by) => made.edit(pr, { labels }, personNamed(by)),
    give: async (name, role) => timeline.setRole(personNamed(name), role),
    push: async (pr) => void made.push(pr),
    account: async (name) => personNamed(name),
  };
});

test('the reactions of a fake host are each kept once', async () => {
  const host = fakeHost({ clock: virtualClock() });
  const repository = host.createRepository({ ref: repo });
  repository.openPullRequest({ number: 1 });
  const { id } = repository.discussion.comment(1, '/mq merge');
  for (const reaction of ['accepted', 'accepted', 'refused'] as const)
    await host.commands.react({ repo, pr: 1 }, id, reaction);

  expect(repository.timeline.reactions.map(({ reaction }) => reaction)).toEqual(['accepted', 'refused']);
});
