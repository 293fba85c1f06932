import type { Client } from '@mq/client';
import { useMemo } from 'preact/hooks';
import { queueName } from '../data/live.js';
import { type Ended, type QueueRef, queueReader } from '../data/queue-view.js';
import { useLive } from '../data/use-live.js';
import { pullPath } from '../model/route.js';
import { rowSentence, stateLooks } from '../model/words.js';
import { Fault } from './fault.js';
import { Moment } from './moment.js';
import { Ago, Badge, Empty, Link } from './parts.js';
import { QueueHead } from './queue.js';
import { Statistics } from './statistics.js';

interface HistoryProps {
  readonly client: Client;
  readonly reference: QueueRef;
}

/** What the queue did over time, and the pull requests that have left it lately. */
export const HistoryPage = ({ client, reference }: HistoryProps) => {
  const load = useMemo(() => queueReader(client, reference), [client, reference]);
  const { value, error } = useLive(load, queueName(reference.repo, reference.targetBranch));
  if (value === null) return error === null ? <p class="quiet">Loading…</p> : <Fault error={error} />;
  return (
    <>
      <QueueHead reference={reference} view={value} part="history" />
      <Statistics client={client} reference={reference} />
      <Moment client={client} reference={reference} createdAt={value.queue.createdAt} />
      <h2>Left the queue lately</h2>
      {value.ended.length === 0 ? (
        <Empty title="No pull request has left this queue yet." />
      ) : (
        <Left reference={reference} pulls={value.ended} />
      )}
    </>
  );
};

interface LeftProps {
  readonly reference: QueueRef;
  readonly pulls: readonly Ended[];
}

const Left = ({ reference, pulls }: LeftProps) => (
  <table class="line ended" aria-label="Pull requests that left the queue">
    <thead>
      <tr>
        <th scope="col">Pull request</th>
        <th scope="col">State</th>
        <th scope="col">When</th>
        <th scope="col">Why</th>
      </tr>
    </thead>
    <tbody>
      {pulls.map((pull) => (
        <tr key={pull.prNumber}>
          <td class="pull">
            <Link to={pullPath(reference, pull.prNumber)} class="pull-link">
              <span class="pr">#{pull.prNumber}</span> <span class="title">{pull.prTitle}</span>
            </Link>
            <span class="author">{pull.prAuthor}</span>
          </td>
          <td class="state">
            <Badge look={stateLooks[pull.state]} />
          </td>
          <td class="since">
            <Ago at={pull.endedAt} />
          </td>
          <td class="why">{rowSentence(pull.reason?.sentence ?? '', pull.prNumber)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
