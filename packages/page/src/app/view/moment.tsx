import type { Client } from '@mq/client';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { loadMoment, type MomentView } from '../data/moment-view.js';
import type { QueueRef } from '../data/queue-view.js';
import { useLive } from '../data/use-live.js';
import { pullPath } from '../model/route.js';
import { durationText, instantText } from '../model/time.js';
import { countText, queueLooks, stateLooks } from '../model/words.js';
import { Fault } from './fault.js';
import { RunGraph } from './graph.js';
import { Badge, Link } from './parts.js';

interface MomentProps {
  readonly client: Client;
  readonly reference: QueueRef;
  /** When the queue was created. */
  readonly createdAt: string;
}

/** The server reads the history from its beginning for each moment: it is asked when the slider rests. */
const REST_MS = 400;
const STEP_MS = 1_000;
/** A name that no queue has, since the past does not change. */
const NOTHING = 'the past';

/** The whole queue at any past moment, by a slider. */
export const Moment = ({ client, reference, createdAt }: MomentProps) => {
  const [end] = useState(() => Date.now());
  const [at, setAt] = useState(end);
  const [settled, setSettled] = useState(end);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(at), REST_MS);
    return () => clearTimeout(timer);
  }, [at]);
  const load = useCallback(
    (signal: AbortSignal) => loadMoment(client, reference, settled, signal),
    [client, reference, settled],
  );
  const { value, error } = useLive(load, NOTHING);
  const last = useRef<MomentView | null>(null);
  if (value !== null) last.current = value;
  const view = last.current;
  const begin = Date.parse(view?.earliestAt ?? createdAt);
  const isCut = begin > Date.parse(createdAt);
  return (
    <section class="moment" aria-label="The queue at a past moment">
      <h2>At a past moment</h2>
      <p class="slider">
        <label for="moment">{at === end ? 'Now' : instantText(at)}</label>
        <input
          id="moment"
          type="range"
          min={begin}
          max={end}
          step={STEP_MS}
          value={at}
          aria-valuetext={instantText(at)}
          onInput={(event) => setAt(Number(event.currentTarget.value))}
        />
      </p>
      <p class="quiet">
        {isCut
          ? `The history begins at ${instantText(begin)}; what is older was removed.`
          : `From the creation of the queue at ${instantText(begin)}.`}
      </p>
      {error !== null && <Fault error={error} />}
      {view !== null && error === null && <Standing reference={reference} view={view} />}
    </section>
  );
};

/** More rows are not read by anyone. */
const ROWS_SHOWN = 100;

const Standing = ({ reference, view }: { readonly reference: QueueRef; readonly view: MomentView }) => {
  const { at, state, pulls, more, graph } = view;
  const left = more + Math.max(0, pulls.length - ROWS_SHOWN);
  return (
    <>
      <p class="summary">
        {state !== null && <Badge look={queueLooks[state]} />}
        <span>
          {countText(pulls.length + more, 'pull request')} in line, {countText(graph.runs.length, 'test run')}
        </span>
      </p>
      {graph.runs.length > 0 && <RunGraph reference={reference} view={graph} at={Date.parse(at)} />}
      {pulls.length > 0 && <PastLine reference={reference} view={view} />}
      {left > 0 && <p class="quiet">{countText(left, 'more pull request')} not shown.</p>}
    </>
  );
};

const PastLine = ({ reference, view }: { readonly reference: QueueRef; readonly view: MomentView }) => (
  <table class="line past" aria-label="Line at that moment">
    <thead>
      <tr>
        <th scope="col" class="number">
          Line
        </th>
        <th scope="col">Pull request</th>
        <th scope="col">State</th>
        <th scope="col">For</th>
      </tr>
    </thead>
    <tbody>
      {view.pulls.slice(0, ROWS_SHOWN).map((pull) => (
        <tr key={pull.prNumber}>
          <td class="number">{pull.position ?? ''}</td>
          <td class="pull">
            <Link to={pullPath(reference, pull.prNumber)} class="pull-link">
              <span class="pr">#{pull.prNumber}</span> <span class="title">{pull.prTitle}</span>
            </Link>
            <span class="author">{pull.prAuthor ?? ''}</span>
          </td>
          <td class="state">
            <Badge look={stateLooks[pull.state]} />
          </td>
          <td class="since">{durationText(Date.parse(view.at) - Date.parse(pull.stateChangedAt))}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
