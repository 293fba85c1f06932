import type { Client } from '@mq/client';
import { command, objectOf, prParameter, type QueueName, type Schemas, schemaNamed } from '../command.js';
import { requirePastInstant } from '../given-time.js';
import { testedSchema, withTest } from '../tested.js';
import { type Past, pastText } from '../text/past-status.js';
import { queueTable, statusText, type Tested } from '../text/pull-request.js';
import { queueLines, warningLines } from '../text/queue.js';
import type { Style } from '../text/style.js';
import { durationLines } from '../text/usual-durations.js';
import { type UsualDurations, usualDurations, usualDurationsSchema } from '../usual-durations.js';

type Queue = Schemas['GetQueueAnswer'] & { readonly usualDurations: UsualDurations | null };

type Result = Queue | Tested | Past;

interface Options {
  readonly at?: string;
}

const isQueue = (result: Queue | Tested): result is Queue => 'enqueuedPullRequests' in result;
const isPast = (result: Result): result is Past => 'earliestAt' in result;

const queueText = (queue: Queue, style: Style): string => {
  const rows = queueTable(queue, style);
  const isCut = /…$/m.test(rows);
  return [
    ...queueLines(queue, style),
    ...durationLines(queue.usualDurations, style),
    ...warningLines(queue.warnings, style),
    '',
    rows,
    ...(isCut ? ['', 'mq why <number>  the whole reason and what to do'] : []),
  ].join('\n');
};

const queueSchema = {
  allOf: [schemaNamed('GetQueueAnswer'), objectOf({ usualDurations: usualDurationsSchema })],
};

const queueOf = async (client: Client, name: QueueName, now: number, signal: AbortSignal): Promise<Queue> => {
  const [queue, usual] = await Promise.all([
    client.getQueue(name, { signal }),
    usualDurations(client, name, now, signal),
  ]);
  return { ...queue, usualDurations: usual };
};

export const status = command<Options, Result>({
  words: 'status',
  summary:
    'Show the queue as a table, with how long tests and merges usually take, or where one pull request is.',
  parameters: [{ ...prParameter, description: 'the number of a pull request; default: the whole queue' }],
  flags: [{ flags: '--at <time>', description: 'as it was at this time: 30m (ago), 14:05, an ISO instant' }],
  examples: [
    'mq status',
    'mq status 41',
    'mq status --at 14:05',
    'mq status --json | jq .result.enqueuedPullRequests[0]',
    'mq status --json | jq .result.usualDurations.testRun.medianMs',
  ],
  schema: { anyOf: [queueSchema, testedSchema, schemaNamed('GetQueueAtAnswer')] },
  run: async ({ args: [pr = ''], options, io, server, queue, pullRequest }) => {
    const { client } = await server();
    const signal = io.interrupted;
    if (options.at !== undefined) {
      const at = requirePastInstant('--at', options.at, io.now());
      const named = pr === '' ? null : await pullRequest(pr);
      const { repo, targetBranch } = named ?? (await queue());
      const past = await client.getQueueAt({ repo, targetBranch, at }, { signal });
      return named === null
        ? past
        : { ...past, pullRequests: past.pullRequests.filter(({ prNumber }) => prNumber === named.pr.number) };
    }
    if (pr === '') return queueOf(client, await queue(), io.now(), signal);
    const named = await pullRequest(pr);
    const request = { ...named, includeEstimatedTimeToMerge: true };
    return withTest(client, named, await client.getSubmittedPullRequest(request, { signal }), signal);
  },
  text: (result, style) => {
    if (isPast(result)) return pastText(result, style);
    return isQueue(result) ? queueText(result, style) : statusText(result, style);
  },
});
