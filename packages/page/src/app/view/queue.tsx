import type { Client } from '@mq/client';
import { useMemo, useState } from 'preact/hooks';
import { queueName } from '../data/live.js';
import { type QueueRef, type QueueView, queueReader, type Row } from '../data/queue-view.js';
import type { TokenRights } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { type QueuePart, queuePath } from '../model/route.js';
import { instantText } from '../model/time.js';
import { countText, prList, queueLooks, stateLooks, withoutIds } from '../model/words.js';
import { Fault } from './fault.js';
import { RunGraph } from './graph.js';
import { LineTable } from './line-table.js';
import { Ago, Badge, Clock, Empty, Link } from './parts.js';
import { QueueActions } from './queue-actions.js';

interface QueueProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly reference: QueueRef;
}

/** Checks that begin or end are no changes of the queue. */
const CHECKS_POLL_MS = 5_000;

export const pollMs = ({ runs }: QueueView): number | null => (runs.length === 0 ? null : CHECKS_POLL_MS);

/** One queue as it stands now: its state, what is tested on top of what, and its line. */
export const QueuePage = ({ client, rights, reference }: QueueProps) => {
  const load = useMemo(() => queueReader(client, reference), [client, reference]);
  const { value, error, reload } = useLive(
    load,
    queueName(reference.repo, reference.targetBranch),
    pollMs,
    load,
  );
  if (value === null) return error === null ? <p class="quiet">Loading…</p> : <Fault error={error} />;
  return (
    <>
      <QueueHead reference={reference} view={value} part="line">
        <QueueActions
          client={client}
          rights={rights}
          reference={reference}
          queue={value.queue}
          onDone={reload}
        />
      </QueueHead>
      <Notices view={value} />
      {value.runs.length > 0 && <RunGraph reference={reference} view={value} />}
      <Line reference={reference} view={value} />
    </>
  );
};

interface QueueHeadProps {
  readonly reference: QueueRef;
  readonly view: QueueView | null;
  readonly part: QueuePart;
  readonly children?: preact.ComponentChildren;
}

export const QueueHead = ({ reference, view, part, children }: QueueHeadProps) => (
  <div class="head">
    <h1>
      {reference.repo.owner}/{reference.repo.name} <span class="branch">{reference.targetBranch}</span>
    </h1>
    {view !== null && (
      <p class="summary">
        <Badge look={queueLooks[view.queue.state]} />
        <span>{summaryOf(view)}</span>
      </p>
    )}
    <nav class="tabs" aria-label="Parts of the queue">
      <Link to={queuePath(reference)} current={part === 'line'}>
        Line
      </Link>
      <Link to={queuePath(reference, 'history')} current={part === 'history'}>
        History
      </Link>
      <Link to={queuePath(reference, 'settings')} current={part === 'settings'}>
        Settings
      </Link>
    </nav>
    {children}
  </div>
);

const summaryOf = ({ queue, counts }: QueueView): string => {
  const parts = [
    `${counts.slotsInUse} of ${queue.activeConcurrency} test slots in use`,
    `${counts.begun} in test`,
    `${counts.enqueued - counts.begun} waiting`,
    ...(counts.notReady === 0 ? [] : [`${counts.notReady} not ready`]),
  ];
  return parts.join(' · ');
};

/** Older ones are in the history. */
const ALARMS_SHOWN = 3;

/** What a person has to know or do: why the queue does not run, freezes, and mistakes in its settings. */
const Notices = ({ view: { queue, alarms, landing } }: { readonly view: QueueView }) => {
  const isFrozen = queue.freezeUntil !== null && Date.parse(queue.freezeUntil) > Date.now();
  return (
    <>
      {queue.state !== 'running' && queue.stateReason !== null && (
        <p class="notice">
          {queue.stateReason.sentence}{' '}
          <span class="quiet">
            {queue.stateReason.actor.person ?? queue.stateReason.actor.name},{' '}
            <Clock at={queue.stateReason.at} />
          </span>
        </p>
      )}
      {isFrozen && (
        <p class="notice">
          Frozen until {instantText(Date.parse(queue.freezeUntil ?? ''))}
          {queue.freezeReason === null ? '.' : `: ${queue.freezeReason}`}
          {queue.freezeAllowsUrgent ? ' Urgent pull requests still merge.' : ''}
        </p>
      )}
      {landing !== null && (
        <p class="notice good-notice">
          Merging {prList(landing.prNumbers)} since <Clock at={landing.since} />.
        </p>
      )}
      {alarms.slice(0, ALARMS_SHOWN).map(({ sequence, sentence, timestamp }) => (
        <p key={sequence} class="notice">
          {withoutIds(sentence)}{' '}
          <span class="quiet">
            <Ago at={timestamp} />
          </span>
        </p>
      ))}
      {(queue.warnings ?? []).map(({ code, sentence }) => (
        <p key={code + sentence} class="notice">
          {sentence}
        </p>
      ))}
    </>
  );
};

/** From here on a filter is offered. */
const FILTER_FROM = 10;

const Line = ({ reference, view }: { readonly reference: QueueRef; readonly view: QueueView }) => {
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const rows = wanted === '' ? view.rows : view.rows.filter((row) => matches(row, wanted));
  if (view.rows.length === 0)
    return (
      <Empty title="Nothing is in line.">
        <p>
          Submit a pull request with the button above, or in a terminal: <code>mq submit 1</code>
        </p>
      </Empty>
    );
  return (
    <section class="line-section" aria-label="Line">
      {view.rows.length >= FILTER_FROM && (
        <p class="filter">
          <label for="filter" class="hidden">
            Filter by number, title, author or state
          </label>
          <input
            id="filter"
            type="search"
            placeholder="Filter by number, title, author or state"
            value={filter}
            onInput={(event) => setFilter(event.currentTarget.value)}
          />
          <span class="quiet" role="status">
            {wanted === ''
              ? countText(view.rows.length, 'pull request')
              : `${rows.length.toLocaleString('en')} of ${countText(view.rows.length, 'pull request')}`}
          </span>
        </p>
      )}
      {rows.length === 0 ? (
        <Empty title="No pull request matches the filter.">
          <button type="button" onClick={() => setFilter('')}>
            Clear the filter
          </button>
        </Empty>
      ) : (
        <LineTable reference={reference} rows={rows} label={`Line of ${reference.targetBranch}`} />
      )}
      {view.moreRows > 0 && <p class="quiet">{countText(view.moreRows, 'more pull request')} not shown.</p>}
    </section>
  );
};

const matches = ({ prNumber, prTitle, prAuthor, state }: Row, wanted: string): boolean =>
  [`#${prNumber}`, prTitle, prAuthor, stateLooks[state].word].some((text) =>
    text.toLowerCase().includes(wanted),
  );
