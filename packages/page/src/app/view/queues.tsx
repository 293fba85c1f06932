import type { Client } from '@mq/client';
import { useCallback } from 'preact/hooks';
import { loadQueues, type QueueSummary } from '../data/queues.js';
import { useLive } from '../data/use-live.js';
import { queuePath } from '../model/route.js';
import { durationText } from '../model/time.js';
import { queueLooks } from '../model/words.js';
import { Fault } from './fault.js';
import { Badge, Empty, Link } from './parts.js';

/** Every queue that the token may read. */
export const QueuesPage = ({ client }: { readonly client: Client }) => {
  const load = useCallback((signal: AbortSignal) => loadQueues(client, signal), [client]);
  const { value, error } = useLive(load, null);
  if (value === null) return error === null ? <p class="quiet">Loading…</p> : <Fault error={error} />;
  return (
    <>
      <div class="head">
        <h1>Queues</h1>
      </div>
      {value.queues.length === 0 ? (
        <Empty title="There is no queue yet.">
          <p>
            Create one for a branch, in a terminal: <code>mq queue create</code>
          </p>
        </Empty>
      ) : (
        <QueuesTable queues={value.queues} />
      )}
      {value.isCut && <p class="quiet">Only the first {value.queues.length} queues are shown.</p>}
    </>
  );
};

const QueuesTable = ({ queues }: { readonly queues: readonly QueueSummary[] }) => (
  <table class="queues" aria-label="Queues">
    <thead>
      <tr>
        <th scope="col">Queue</th>
        <th scope="col">State</th>
        <th scope="col" class="number">
          In test
        </th>
        <th scope="col" class="number">
          Waiting
        </th>
        <th scope="col" class="number">
          Not ready
        </th>
        <th scope="col" class="number">
          Merged, 24 h
        </th>
        <th scope="col" class="number">
          Failed, 24 h
        </th>
        <th scope="col" class="number">
          Median time
        </th>
        <th scope="col" class="number">
          95 % within
        </th>
        <th scope="col">Notice</th>
      </tr>
    </thead>
    <tbody>
      {queues.map((one) => (
        <QueueRow key={one.queue.queueId} summary={one} />
      ))}
    </tbody>
  </table>
);

const QueueRow = ({ summary }: { readonly summary: QueueSummary }) => {
  const { queue, overview } = summary;
  const counts = overview?.counts;
  const lastDay = overview?.lastDay;
  const { repo, branch } = queue;
  return (
    <tr>
      <td class="queue">
        <Link to={queuePath({ repo, targetBranch: branch })}>
          {repo.owner}/{repo.name} <span class="branch">{branch}</span>
        </Link>
      </td>
      <td>
        <Badge look={queueLooks[queue.state]} />
      </td>
      <td class="number">{counts?.begun ?? ''}</td>
      <td class="number">{counts === undefined ? '' : counts.enqueued - counts.begun}</td>
      <td class="number">{counts?.notReady ?? ''}</td>
      <td class="number">{lastDay?.landed ?? ''}</td>
      <td class="number">{lastDay?.failed ?? ''}</td>
      <td class="number">{timeText(lastDay?.timeInQueue?.medianMs)}</td>
      <td class="number">{timeText(lastDay?.timeInQueue?.p95Ms)}</td>
      <td class="why" title={noticeOf(summary)}>
        {noticeOf(summary)}
      </td>
    </tr>
  );
};

const timeText = (ms: number | undefined): string => (ms === undefined ? '' : durationText(ms));

const noticeOf = ({ queue, overview }: QueueSummary): string =>
  (queue.state === 'running' ? null : queue.stateReason?.sentence) ??
  overview?.alarms[0]?.sentence ??
  queue.warnings?.[0]?.sentence ??
  '';
