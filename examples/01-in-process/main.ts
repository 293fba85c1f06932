import { createMergeQueue } from '@mq/core';
import { memoryStore } from '@mq/store-memory';
import { fakeHost, virtualClock } from '@mq/testkit';

// A code host in memory whose CI reports the truth about what is merged, and a clock that moves only on command.
const clock = virtualClock();
const repo = { host: 'fake', owner: 'acme', name: 'widgets' };
const host = fakeHost({ clock, ci: { mode: 'automatic', durationMs: 60_000 } });
const repository = host.createRepository({ ref: repo });
repository.openPullRequest({ number: 1, title: 'Add a lid' });
repository.openPullRequest({ number: 2, title: 'Add a leak', broken: true });
repository.openPullRequest({ number: 3, title: 'Add a handle' });

// The engine: all that it needs is a store and a host.
const mq = createMergeQueue({ store: memoryStore({ clock }), hosts: { fake: host }, clock });
mq.on('history', (row) => {
  if (row.type === 'moved') console.log(`#${row.pr} is ${row.to}`);
});

const queue = { repo, targetBranch: 'main' };
await mq.createQueue({ ...queue, concurrency: 3 });
for (const pr of [1, 2, 3]) await mq.submit({ ...queue, pr });
await mq.settled();

// Ten minutes of tests, in no time.
for (let minute = 0; minute < 10; minute += 1) {
  await clock.advance(60_000);
  await mq.settled();
}

for (const pr of [1, 2, 3]) {
  const { submission } = await mq.getSubmission({ ...queue, pr });
  console.log(`#${pr} ended ${submission.state}: ${submission.pull.title}`);
}
await mq.close();
