import { command, listOf, objectOf, type Schemas, schemaNamed } from '../../command.js';
import { rowsOf } from '../../rows.js';
import { table } from '../../text/table.js';

interface Result {
  readonly queues: readonly Schemas['Queue'][];
}

export const queueList = command<{ readonly everywhere?: boolean }, Result>({
  words: 'queue list',
  summary: 'List the queues of the repository, or of all.',
  flags: [{ flags: '--everywhere', description: 'of every repository that your token may read' }],
  examples: ['mq queue list', 'mq queue list --everywhere'],
  schema: objectOf({ queues: listOf(schemaNamed('Queue')) }),
  run: async ({ options, io, server, repo }) => {
    const { client } = await server();
    const request = { ...(options.everywhere === true ? {} : { repo: await repo() }), take: 100 };
    const pages = client.pages('listQueues', request, { signal: io.interrupted });
    return { queues: await rowsOf(pages, ({ queues }) => queues) };
  },
  text: ({ queues }, style) =>
    queues.length === 0
      ? 'There is no queue. Create one: mq queue create --branch main'
      : table(
          [
            { title: 'REPOSITORY', cell: ({ repo }) => `${repo.host}/${repo.owner}/${repo.name}` },
            { title: 'BRANCH', cell: ({ branch }) => branch },
            { title: 'STATE', cell: ({ state }) => state.replaceAll('_', ' ') },
            { title: 'MODE', cell: ({ activeMode }) => activeMode },
            { title: 'SLOTS', cell: ({ activeConcurrency }) => String(activeConcurrency) },
            { title: 'WHY', cell: ({ stateReason }) => stateReason?.sentence ?? '', grows: true },
          ],
          queues,
          style.width,
        ),
});
