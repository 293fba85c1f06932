import type {
  Page,
  Queue,
  QueueId,
  QueueQuery,
  QueueVersion,
  Receipt,
  ReceiptQuery,
  Submission,
  SubmissionQuery,
} from '@mq/core';
import { type Key, type Listing, readCursor } from '@mq/core';
import { placeDigest, repoDigest } from './digests.js';
import { ofEach } from './load.js';
import { pageOf, rowsWanted } from './page.js';
import { asDocument, type Names, type Runner, Values } from './statement.js';
import { fromStoredText } from './stored-json.js';

const queueListing: Listing = { name: 'queues', shape: ['string', 'string', 'string', 'string', 'string'] };

const queueKey = ({ repo, branch, id }: Queue): Key => [repo.host, repo.owner, repo.name, branch, id];

export const readQueues = async (run: Runner, names: Names, query: QueueQuery): Promise<Page<Queue>> => {
  const { repo, branch, limit, cursor } = query;
  const wanted = rowsWanted(limit);
  const values = new Values();
  const after = readCursor(queueListing, cursor);
  const conditions = [query.isDeleted === true ? 'buried is not null' : 'buried is null'];
  if (repo !== undefined && branch !== undefined)
    conditions.push(`place = ${values.text(placeDigest({ repo, branch }))}`);
  else if (repo !== undefined) conditions.push(`repo = ${values.text(repoDigest(repo))}`);
  else if (branch !== undefined) conditions.push(`branch = ${values.text(branch)}`);
  if (query.repositories !== undefined)
    conditions.push(`repo = ${values.anyText(query.repositories.map(repoDigest))}`);
  if (after !== null)
    conditions.push(
      `(host, owner, name, branch, id) > (${after.map((part) => values.text(String(part))).join(', ')})`,
    );
  const rows = await run(
    `select ${asDocument('value')} as value from ${names.queues} where ${conditions.join(' and ')}
order by host, owner, name, branch, id limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(queueListing, rows, wanted, queueKey);
};

const versionListing: Listing = { name: 'queue versions', shape: ['string'] };

export const readVersions = async (
  run: Runner,
  names: Names,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string },
): Promise<Page<QueueVersion>> => {
  const wanted = rowsWanted(limit);
  const values = new Values();
  const [after] = readCursor(versionListing, cursor) ?? [];
  const behind = after === undefined ? '' : ` and id > ${values.text(String(after))}`;
  const rows = await run(
    `select id, version::text as version, ${names.incarnation} as incarnation from ${names.queues}
where buried is null${behind} order by id limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(
    versionListing,
    rows,
    wanted,
    ({ id }) => [id],
    (row) => ({
      id: fromStoredText(String(row.id)) as QueueId,
      version: Number(row.version),
      incarnation: String(row.incarnation),
    }),
  );
};

const submissionListing: Listing = { name: 'submissions', shape: ['number', 'string'] };

const submissionKey = ({ stateSince, id }: Submission): Key => [stateSince, id];

export const readSubmissions = async (
  run: Runner,
  names: Names,
  query: SubmissionQuery,
): Promise<Page<Submission>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const [since, id] = readCursor(submissionListing, query.cursor) ?? [];
  const queueId = values.text(query.queueId);
  const columns = 'queue_id, id, state, state_since, value';
  const from =
    query.prs === undefined
      ? names.submissions
      : ofEach(names.submissions, columns, values, queueId, query.prs);
  const conditions = [`queue_id = ${queueId}`];
  if (query.states !== undefined) conditions.push(`state = ${values.anyText(query.states)}`);
  if (query.since !== undefined) conditions.push(`state_since >= ${values.instant(query.since)}`);
  if (query.until !== undefined) conditions.push(`state_since <= ${values.lastInstant(query.until)}`);
  if (since !== undefined)
    conditions.push(`(state_since, id) < (${values.number(Number(since))}, ${values.text(String(id))})`);
  const rows = await run(
    `select ${asDocument('value')} as value from ${from} where ${conditions.join(' and ')}
order by state_since desc, id desc limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(submissionListing, rows, wanted, submissionKey);
};

const receiptListing: Listing = { name: 'receipts', shape: ['number'] };

export const readReceipts = async (
  run: Runner,
  names: Names,
  query: ReceiptQuery,
): Promise<Page<Receipt>> => {
  const wanted = rowsWanted(query.limit);
  const values = new Values();
  const [after = 0] = readCursor(receiptListing, query.cursor) ?? [];
  const conditions = [
    `queue_id = ${values.text(query.queueId)}`,
    `number > ${values.number(Math.max(Number(after), query.after ?? 0))}`,
  ];
  if (query.pr !== undefined) conditions.push(`pr = ${values.number(query.pr)}`);
  const rows = await run(
    `select ${asDocument('value')} as value from ${names.receipts} where ${conditions.join(' and ')}
order by number limit ${values.number(wanted)}`,
    values,
  );
  return pageOf(receiptListing, rows, wanted, ({ number }) => [number]);
};
