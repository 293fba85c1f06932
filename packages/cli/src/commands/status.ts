import { command, prParameter, type Schemas, schemaNamed } from '../command.js';
import { type Found, queueTable, statusText } from '../text/pull-request.js';
import { queueLines, warningLines } from '../text/queue.js';
import type { Style } from '../text/style.js';

type Queue = Schemas['GetQueueAnswer'];

const isQueue = (result: Queue | Found): result is Queue => 'enqueuedPullRequests' in result;

const queueText = (queue: Queue, style: Style): string =>
  [...queueLines(queue, style), ...warningLines(queue.warnings, style), '', queueTable(queue, style)].join(
    '\n',
  );

export const status = command<object, Queue | Found>({
  words: 'status',
  summary: 'Show the queue as a table, or where one pull request is.',
  parameters: [{ ...prParameter, description: 'the number of a pull request; default: the whole queue' }],
  examples: ['mq status', 'mq status 41', 'mq status --json | jq .result.enqueuedPullRequests[0]'],
  schema: { anyOf: [schemaNamed('GetQueueAnswer'), schemaNamed('FoundPullRequest')] },
  run: async ({ args: [pr = ''], io, server, queue, pullRequest }) => {
    const { client } = await server();
    const signal = io.interrupted;
    if (pr === '') return client.getQueue(await queue(), { signal });
    const request = { ...(await pullRequest(pr)), includeEstimatedTimeToMerge: true };
    return client.getSubmittedPullRequest(request, { signal });
  },
  text: (result, style) => (isQueue(result) ? queueText(result, style) : statusText(result, style)),
});
