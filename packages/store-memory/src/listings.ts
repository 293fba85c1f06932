import type { Page, Queue, QueueQuery, QueueVersion, Submission, SubmissionQuery } from '@mq/core';
import { type Key, type Listing, readCursor, repoKey } from '@mq/core';
import { compareKeys, pageOf } from './page.js';
import type { QueueRecord } from './queue-record.js';

const queueListing: Listing = { name: 'queues', shape: ['string', 'string', 'string', 'string', 'string'] };

const queueKey = ({ repo, branch, id }: Queue): Key => [repo.host, repo.owner, repo.name, branch, id];

export const readQueues = (queues: readonly Queue[], query: QueueQuery): Page<Queue> => {
  const { repo, repositories, branch, limit } = query;
  const after = readCursor(queueListing, query.cursor);
  const wanted = queues
    .filter(
      (queue) =>
        (repo === undefined || repoKey(queue.repo) === repoKey(repo)) &&
        (repositories === undefined || repositories.some((one) => repoKey(queue.repo) === repoKey(one))) &&
        (branch === undefined || queue.branch === branch) &&
        (after === null || compareKeys(queueKey(queue), after) > 0),
    )
    .sort((one, other) => compareKeys(queueKey(one), queueKey(other)));
  return pageOf(queueListing, wanted, limit, queueKey);
};

const versionListing: Listing = { name: 'queue versions', shape: ['string'] };

const versionKey = ({ id }: QueueVersion): Key => [id];

export const readVersions = (
  all: readonly QueueVersion[],
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Page<QueueVersion> => {
  const after = readCursor(versionListing, cursor);
  const wanted = all
    .filter((one) => after === null || compareKeys(versionKey(one), after) > 0)
    .sort((one, other) => compareKeys(versionKey(one), versionKey(other)));
  return pageOf(versionListing, wanted, limit, versionKey);
};

const submissionListing: Listing = { name: 'submissions', shape: ['number', 'string'] };

const submissionKey = ({ stateSince, id }: Submission): Key => [stateSince, id];

export const readSubmissions = (record: QueueRecord | null, query: SubmissionQuery): Page<Submission> => {
  const after = readCursor(submissionListing, query.cursor);
  const rows = record === null ? [] : candidates(record, query.prs);
  return pageOf(submissionListing, wantedSubmissions(rows, query, after), query.limit, submissionKey);
};

const candidates = (record: QueueRecord, prs: readonly number[] | undefined): readonly Submission[] =>
  prs === undefined
    ? record.newestFirst()
    : [...new Set(prs)]
        .flatMap((pr) => record.lastSubmission(pr) ?? [])
        .sort((one, other) => compareKeys(submissionKey(other), submissionKey(one)));

function* wantedSubmissions(
  rows: readonly Submission[],
  { states, since, until }: SubmissionQuery,
  after: Key | null,
): Generator<Submission> {
  for (const row of rows)
    if (
      (after === null || compareKeys(submissionKey(row), after) < 0) &&
      (states === undefined || states.includes(row.state)) &&
      (since === undefined || row.stateSince >= since) &&
      (until === undefined || row.stateSince <= until)
    )
      yield row;
}
