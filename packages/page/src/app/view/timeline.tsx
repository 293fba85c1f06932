import type { Pull } from '../data/pull-view.js';
import { durationText } from '../model/time.js';
import { stateLooks, withoutIds } from '../model/words.js';
import { Ago, Badge, Clock } from './parts.js';

type Attempt = NonNullable<Pull['attempts']>[number];

interface TimelineProps {
  readonly attempts: readonly Attempt[];
  readonly isComplete: boolean;
}

/** What happened to a pull request: one list for each of its stays in the queue, the newest first. */
export const Timeline = ({ attempts, isComplete }: TimelineProps) => (
  <section aria-label="Timeline">
    <h2>Timeline</h2>
    {attempts.map((attempt) => (
      <AttemptStory key={attempt.attempt} attempt={attempt} isOnly={attempts.length === 1} />
    ))}
    {!isComplete && <p class="quiet">Earlier entries are not shown; mq history has all that are kept.</p>}
  </section>
);

const AttemptStory = ({ attempt, isOnly }: { readonly attempt: Attempt; readonly isOnly: boolean }) => (
  <article class="attempt" aria-label={`Attempt ${attempt.attempt}`}>
    {!isOnly && (
      <h3>
        Attempt {attempt.attempt}{' '}
        <span class="quiet">
          <Ago at={attempt.startedAt} />
        </span>
      </h3>
    )}
    <p class="spent">
      {Object.entries(attempt.spentMs)
        .filter(([, ms]) => ms >= 1_000)
        .map(([state, ms]) => `${stateLooks[state as keyof typeof stateLooks].word} ${durationText(ms)}`)
        .join(' · ')}
    </p>
    <ol class="story">
      {[...attempt.story].reverse().map((entry, index) => (
        <li key={`${entry.timestamp} ${index}`}>
          <Clock at={entry.timestamp} />
          {entry.state === null ? <span class="badge plain" /> : <Badge look={stateLooks[entry.state]} />}
          <span>{withoutIds(entry.sentence)}</span>
        </li>
      ))}
    </ol>
  </article>
);
