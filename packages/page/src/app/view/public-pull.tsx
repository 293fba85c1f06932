import type { Client } from '@mq/client';
import { useMemo } from 'preact/hooks';
import { queueName } from '../data/live.js';
import { publicPullReader } from '../data/public-pull.js';
import type { QueueRef } from '../data/queue-view.js';
import { useLive } from '../data/use-live.js';
import { stateLooks, withoutIds } from '../model/words.js';
import { Fault } from './fault.js';
import { Ago, Badge } from './parts.js';
import { Timeline } from './timeline.js';

interface PublicPullProps {
  readonly client: Client;
  readonly reference: QueueRef;
  readonly pr: number;
}

/** What everyone may see of a pull request in an open queue. */
export const PublicPullPage = ({ client, reference, pr }: PublicPullProps) => {
  const load = useMemo(() => publicPullReader(client, reference, pr), [client, reference, pr]);
  const { value, error } = useLive(load, queueName(reference.repo, reference.targetBranch));
  if (value === null) return error === null ? <p class="quiet">Loading…</p> : <Fault error={error} />;
  const { standing, attempts, isComplete } = value;
  return (
    <>
      <div class="head">
        <h1>
          <span class="pr">#{pr}</span> {standing?.title ?? ''}
        </h1>
        {standing !== null && (
          <p class="summary">
            <Badge look={stateLooks[standing.state]} />
            <span>
              {standing.author} · <Ago at={standing.since} />
            </span>
          </p>
        )}
      </div>
      {standing !== null && standing.sentence !== '' && (
        <section class="standing" aria-label="Where it stands">
          <p class="lead">{withoutIds(standing.sentence)}</p>
        </section>
      )}
      <Timeline attempts={attempts} isComplete={isComplete} />
    </>
  );
};
