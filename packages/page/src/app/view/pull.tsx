import type { Client } from '@mq/client';
import { useCallback } from 'preact/hooks';
import { queueName } from '../data/live.js';
import { loadPullView, type Pull, type PullView } from '../data/pull-view.js';
import type { QueueRef } from '../data/queue-view.js';
import type { TokenRights } from '../data/session.js';
import { useLive } from '../data/use-live.js';
import { safeLink } from '../model/links.js';
import { pullPath } from '../model/route.js';
import { countText, stateLooks, withoutIds } from '../model/words.js';
import { Fault } from './fault.js';
import { Ago, Badge, Clock, Commit, Empty, Link, OutLink } from './parts.js';
import { PullActions } from './pull-actions.js';
import { Receipts } from './receipts.js';
import { Runs } from './runs.js';
import { Timeline } from './timeline.js';

interface PullProps {
  readonly client: Client;
  readonly rights: TokenRights;
  readonly reference: QueueRef;
  readonly pr: number;
}

/** A link to a log opens it for 5 min, and is made with each answer. */
const LINKS_RENEWED_MS = 4 * 60_000;

const renewMs = ({ runs }: PullView): number | null => (runs.length === 0 ? null : LINKS_RENEWED_MS);

/** One pull request: its state, why, since when, what would change it, and what happened. */
export const PullPage = ({ client, rights, reference, pr }: PullProps) => {
  const load = useCallback(
    (signal: AbortSignal) => loadPullView(client, reference, pr, signal),
    [client, reference, pr],
  );
  const { value, error, reload } = useLive(load, queueName(reference.repo, reference.targetBranch), renewMs);
  const actions = (pull: Pull | null) => (
    <PullActions client={client} rights={rights} reference={reference} pr={pr} pull={pull} onDone={reload} />
  );
  if (value === null) {
    if (error === null) return <p class="quiet">Loading…</p>;
    return error.status === 404 && error.code !== 'QUEUE_NOT_FOUND' ? (
      <NotSubmitted pr={pr} message={error.message} actions={actions(null)} />
    ) : (
      <Fault error={error} />
    );
  }
  const { pull, runs, receipts } = value;
  return (
    <>
      <div class="head">
        <h1>
          <span class="pr">#{pull.prNumber}</span> {pull.prTitle}
        </h1>
        <p class="summary">
          <Badge look={stateLooks[pull.state]} />
          <span>
            {pull.prAuthor} ·{' '}
            {safeLink(pull.prUrl) !== null && (
              <>
                <OutLink href={pull.prUrl}>pull request</OutLink> ·{' '}
              </>
            )}
            head <Commit id={pull.prSha} /> · priority{' '}
            {pull.skipTheLine ? 'urgent' : `${pull.priorityName} (${pull.priorityValue})`}
            {pull.noBatch ? ' · tested alone' : ''}
          </span>
        </p>
        {actions(pull)}
      </div>
      <Standing reference={reference} pull={pull} />
      <Runs reference={reference} runs={runs} />
      <Receipts reference={reference} receipts={receipts} />
      <Timeline attempts={pull.attempts ?? []} isComplete={pull.timelineIsComplete ?? true} />
    </>
  );
};

interface NotSubmittedProps {
  readonly pr: number;
  readonly message: string;
  readonly actions: preact.ComponentChildren;
}

const NotSubmitted = ({ pr, message, actions }: NotSubmittedProps) => (
  <>
    <div class="head">
      <h1>#{pr}</h1>
      {actions}
    </div>
    <Empty title="This pull request is not in the queue.">
      <p>{message}</p>
    </Empty>
  </>
);

interface StandingProps {
  readonly reference: QueueRef;
  readonly pull: Pull;
}

/** The state of the pull request and its reason, before anything else. */
const Standing = ({ reference, pull }: StandingProps) => {
  const sentence = pull.waitingFor?.sentence ?? pull.reason?.sentence ?? '';
  return (
    <section class="standing" aria-label="Where it stands">
      <p class="lead">{withoutIds(sentence)}</p>
      {pull.reason?.detail != null && pull.waitingFor === undefined && (
        <p class="detail">{pull.reason.detail}</p>
      )}
      <dl class="facts">
        <Fact name="Since">
          <Ago at={pull.stateChangedAt} />
        </Fact>
        {pull.position !== null && (
          <Fact name="Position">
            {pull.position}
            {pull.aheadInLane !== null && (
              <span class="quiet">
                {' '}
                {pull.aheadInLane === 0 ? 'next to merge' : `${pull.aheadInLane} must merge first`}
              </span>
            )}
          </Fact>
        )}
        <ExpectedFact pull={pull} />
        {pull.landedCommit !== null && (
          <Fact name="Merged as">
            <Commit id={pull.landedCommit} />
          </Fact>
        )}
        {pull.endedBy !== null && <Fact name="By">{pull.endedBy.person ?? pull.endedBy.name}</Fact>}
        {pull.attempt > 1 && <Fact name="Attempt">{pull.attempt}</Fact>}
      </dl>
      {pull.state !== 'merged' && (
        <p class="remedy">
          <strong>{pull.isCurrentlySubmittedToQueue ? 'What would change it' : 'What to do'}</strong>{' '}
          {withoutIds(pull.waitingFor?.remedy ?? pull.remedy)}
        </p>
      )}
      <Causes reference={reference} pull={pull} />
      <FailureFact reference={reference} pull={pull} />
    </section>
  );
};

const Fact = ({ name, children }: { readonly name: string; readonly children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

const ExpectedFact = ({ pull }: { readonly pull: Pull }) => {
  const { estimatedTimeToMerge: estimate } = pull;
  if (estimate === undefined || !pull.isCurrentlySubmittedToQueue) return null;
  if (estimate.status === 'unavailable')
    return (
      <Fact name="Merges">
        <span class="quiet">{estimate.sentence}</span>
      </Fact>
    );
  if (estimate.expectedMergeAt === null) return null;
  return (
    <Fact name="Merges">
      <Clock at={estimate.expectedMergeAt} />{' '}
      <span class="quiet">
        (<Ago at={estimate.expectedMergeAt} />
        {estimate.pessimisticMergeAt !== null && (
          <>
            , at the latest <Clock at={estimate.pessimisticMergeAt} />
          </>
        )}
        )
      </span>
    </Fact>
  );
};

/** The chain behind the wait; its first link is the sentence above. */
const Causes = ({ reference, pull }: StandingProps) => {
  const causes = (pull.waitingFor?.causes ?? []).slice(1);
  if (causes.length === 0) return null;
  return (
    <ol class="causes" aria-label="Because">
      {causes.map((cause, index) => (
        <li key={`${index} ${cause.code}`}>
          {withoutIds(cause.sentence)}{' '}
          {cause.pr !== null && cause.pr !== pull.prNumber && (
            <Link to={pullPath(reference, cause.pr)}>#{cause.pr}</Link>
          )}
          {cause.until !== null && (
            <span class="quiet">
              {' '}
              until <Clock at={cause.until} />
            </span>
          )}
        </li>
      ))}
    </ol>
  );
};

const FailureFact = ({ reference, pull: { failure } }: StandingProps) => {
  if (failure === null) return null;
  const others = [...failure.testedOnTopOf, ...failure.testedWith];
  return (
    <div class="failure">
      <h2>{countText(failure.failingChecks.length, 'failing check')}</h2>
      <ul>
        {failure.failingChecks.map(({ name, source, url, summary }) => (
          <li key={`${source} ${name}`}>
            <OutLink href={url}>{name}</OutLink>{' '}
            {summary !== null && <span class="summary-text">{summary}</span>}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <p class="quiet">
          Tested on top of{' '}
          {others.map((other, index) => (
            <span key={other}>
              {index > 0 && ', '}
              <Link to={pullPath(reference, other)}>#{other}</Link>
            </span>
          ))}
          .
        </p>
      )}
    </div>
  );
};
