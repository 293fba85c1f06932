import { type Client, MqError } from '@mq/client';
import { type JsonSchema, listOf, objectOf, type QueueName, schemaNamed } from './command.js';
import type { Found, Tested } from './text/pull-request.js';

/** What the test run of a pull request tested. */
export const withTest = async (
  client: Client,
  { repo, targetBranch }: QueueName,
  found: Found,
  signal: AbortSignal,
): Promise<Tested> => {
  const id = found.testRunId ?? found.verifiedByTestRun;
  const unknown = { ...found, testedOnTopOf: null, testedWith: null, testedCommit: null };
  if (id === null) return unknown;
  try {
    const run = await client.getMergeQueueTestingDetails({ repo, targetBranch, testRunId: id }, { signal });
    return {
      ...found,
      testedOnTopOf: run.dependentPrs ?? null,
      testedWith: run.testedPullRequests?.map(({ prNumber }) => prNumber) ?? null,
      testedCommit: run.testBranchSha ?? null,
    };
  } catch (error) {
    if (error instanceof MqError && error.status === 404) return unknown;
    throw error;
  }
};

export const testedSchema: JsonSchema = {
  allOf: [
    schemaNamed('FoundPullRequest'),
    objectOf({
      testedOnTopOf: { anyOf: [listOf({ type: 'integer' }), { type: 'null' }] },
      testedWith: { anyOf: [listOf({ type: 'integer' }), { type: 'null' }] },
      testedCommit: { type: ['string', 'null'] },
    }),
  ],
};
