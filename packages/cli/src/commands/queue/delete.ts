import { command, schemaNamed } from '../../command.js';
import { confirm } from './confirm.js';

export const queueDelete = command<{ readonly yes?: boolean }, object>({
  words: 'queue delete',
  summary: 'Delete an empty queue. Its history and receipts stay.',
  flags: [{ flags: '--yes', description: 'do not ask' }],
  schema: schemaNamed('DeleteQueueAnswer'),
  run: async (asked) => {
    const name = await asked.queue();
    const { client, address } = await asked.server();
    await confirm(
      asked,
      `Delete the queue of ${name.repo.owner}/${name.repo.name} ${name.targetBranch} on ${address}?`,
    );
    return client.deleteQueue(name, { signal: asked.io.interrupted });
  },
  text: () => 'Deleted.',
});
