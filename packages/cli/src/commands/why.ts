import { command, listOf, objectOf, prParameter } from '../command.js';
import { testedSchema, withTest } from '../tested.js';
import { aheadOf } from '../text/ahead.js';
import { type Explained, whyText } from '../text/pull-request.js';

export const why = command<object, Explained>({
  words: 'why',
  summary: 'Say why a pull request is not merged yet, and what would change it.',
  parameters: [prParameter],
  examples: ['mq why', 'mq why 41'],
  schema: {
    allOf: [
      testedSchema,
      objectOf({ ahead: listOf(objectOf({ prNumber: { type: 'integer' }, why: { type: 'string' } })) }),
    ],
  },
  run: async ({ args: [pr], io, server, pullRequest }) => {
    const named = await pullRequest(pr);
    const { repo, targetBranch } = named;
    const { client } = await server();
    const signal = io.interrupted;
    const found = await client.getSubmittedPullRequest(
      { ...named, includeEstimatedTimeToMerge: true },
      { signal },
    );
    const enqueued =
      (found.position ?? 1) > 1
        ? (await client.getQueue({ repo, targetBranch }, { signal })).enqueuedPullRequests
        : [];
    return {
      ...(await withTest(client, named, found, signal)),
      ahead: aheadOf(found.prNumber, enqueued),
    };
  },
  text: whyText,
});
