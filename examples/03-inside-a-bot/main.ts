import type { AddressInfo } from 'node:net';
import { createMergeQueue, type InboundEvent, inboundListener } from '@mq/core';
import { memoryHostCommandStore, memoryStore } from '@mq/store-memory';
import { fakeHookReceiver, fakeHost, personNamed, signedFakeEvent } from '@mq/testkit';
import express from 'express';

const SECRET = 'shared with the code host';

// The merge queue of the bot: here with a code host in memory, whose tests take 20 ms.
const repo = { host: 'fake', owner: 'acme', name: 'widgets' };
const host = fakeHost({ ci: { mode: 'automatic', durationMs: 20 } });
const repository = host.createRepository({ ref: repo });
const mq = createMergeQueue({
  store: memoryStore(),
  hosts: { fake: host },
  commands: { store: memoryHostCommandStore() },
  pace: { pollChecksMs: 20 },
});
await mq.createQueue({ repo, targetBranch: 'main' });
const merged = new Promise<number>((resolve) => {
  mq.on('history', (row) => {
    if (row.type === 'moved' && row.to === 'merged') resolve(row.pr);
  });
});
mq.start();

// The bot as it was, with one line more: events for the queue go to its listener, before any body is parsed.
const app = express();
app.post('/events', inboundListener(fakeHookReceiver({ secret: SECRET, take: (event) => mq.notice(event) })));
app.use(express.json());
app.post('/webhooks/greet', (request, response) => {
  response.json({ text: `Hello ${request.body.name}` });
});
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const post = async (path: string, body: string, headers: Readonly<Record<string, string>>) =>
  (await fetch(url + path, { method: 'POST', body, headers })).status;

// What the code host does when someone writes a comment.
const writes = async (name: string, pr: number, text: string) => {
  const comment = repository.discussion.comment(pr, text, personNamed(name));
  const event: InboundEvent = { repo, what: 'comment', pr, comment };
  const { body, headers } = signedFakeEvent(event, SECRET);
  console.log(`${name} writes "${text}" at #${pr}: ${await post('/events', body, headers)}`);
  return comment;
};

repository.openPullRequest({ number: 1, title: 'Add a lid' });
repository.openPullRequest({ number: 2, title: 'Add a handle' });
repository.timeline.setRole(personNamed('ada'), 'write');

const json = { 'content-type': 'application/json' };
console.log(`the bot greets ada: ${await post('/webhooks/greet', '{"name": "ada"}', json)}`);
console.log(`a forged event: ${await post('/events', '{}', { 'x-fake-signature': 'f'.repeat(64) })}`);
await writes('ada', 1, '/mq merge');
const refused = await writes('eve', 2, '/mq merge');

console.log(`#${await merged} is merged`);
await mq.settled();
for (const { commentId, reaction } of repository.timeline.reactions)
  if (commentId === refused.id) console.log(`#2 was answered: ${reaction}`);

await mq.close();
server.close();
