import { type Client, MqError } from '@mq/client';
import { command, listOf, objectOf, prParameter, type QueueName, schemaNamed } from '../command.js';
import { type Explained, type Found, whyText } from '../text/pull-request.js';

/** The pull requests below its test run; null where it has none, or it is no longer on record. */
const stackOf = async (
  client: Client,
  { repo, targetBranch }: QueueName,
  { testRunId, verifiedByTestRun }: Found,
  signal: AbortSignal,
): Promise<readonly number[] | null> => {
  const id = testRunId ?? verifiedByTestRun;
  if (id === null) return null;
  try {
    const run = await client.getMergeQueueTestingDetails({ repo, targetBranch, testRunId: id }, { signal });
    return run.dependentPrs ?? null;
  } catch (error) {
    if (error instanceof MqError && error.status === 404) return null;
    throw error;
  }
};

export const why = command<object, Explained>({
  words: 'why',
  summary: 'Say why a pull request is not merged yet, and what would change it.',
  parameters: [prParameter],
  examples: ['mq why', 'mq why 41'],
  schema: {
    allOf: [
      schemaNamed('FoundPullRequest'),
      objectOf({ testedOnTopOf: { anyOf: [listOf({ type: 'integer' }), { type: 'null' }] } }),
    ],
  },
  run: async ({ args: [pr], io, server, pullRequest }) => {
    const named = await pullRequest(pr);
    const { client } = await server();
    const signal = io.interrupted;
    const found = await client.getSubmittedPullRequest(
      { ...named, includeEstimatedTimeToMerge: true },
      { signal },
    );
    return { ...found, testedOnTopOf: await stackOf(client, named, found, signal) };
  },
  text: whyText,
});
