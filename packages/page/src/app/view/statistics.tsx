import type { Client } from '@mq/client';
import { useCallback, useState } from 'preact/hooks';
import { queueName } from '../data/live.js';
import type { QueueRef } from '../data/queue-view.js';
import {
  type Statistics as Answer,
  loadStatistics,
  type Range,
  ranges,
  type Span,
} from '../data/statistics-view.js';
import { useLive } from '../data/use-live.js';
import { durationText, instantText } from '../model/time.js';
import { Chart } from './chart.js';
import { Fault } from './fault.js';

interface StatisticsProps {
  readonly client: Client;
  readonly reference: QueueRef;
}

/** What the queue did over time. */
export const Statistics = ({ client, reference }: StatisticsProps) => {
  const [range, setRange] = useState<Range>('week');
  const load = useCallback(
    (signal: AbortSignal) => loadStatistics(client, reference, range, signal),
    [client, reference, range],
  );
  const { value, error } = useLive(load, queueName(reference.repo, reference.targetBranch));
  return (
    <section class="statistics" aria-label="Statistics">
      <fieldset class="ranges">
        <legend class="hidden">How far back</legend>
        {(Object.keys(ranges) as Range[]).map((name) => (
          <label key={name}>
            <input type="radio" name="range" checked={name === range} onChange={() => setRange(name)} />
            {ranges[name].words}
          </label>
        ))}
      </fieldset>
      {value === null ? error !== null && <Fault error={error} /> : <Charts answer={value} />}
    </section>
  );
};

const Charts = ({ answer: { bucket, total, buckets } }: { readonly answer: Answer }) => {
  const names = buckets.map(({ since }) => {
    const text = instantText(Date.parse(since));
    return bucket === 'hour' ? text.slice(5, 16) : text.slice(5, 10);
  });
  const valuesOf = (value: (span: Span) => number | null) => buckets.map(value);
  return (
    <>
      <Totals total={total} />
      <div class="charts">
        <Chart
          title="Pull requests"
          kind="bars"
          buckets={names}
          format={wholeText}
          series={[
            { name: 'Merged', tone: 'good', values: valuesOf(({ landed }) => landed) },
            { name: 'Failed', tone: 'bad', values: valuesOf(({ failed }) => failed) },
          ]}
        />
        <Chart
          title="Time in queue"
          kind="lines"
          buckets={names}
          format={durationText}
          unit={MINUTE_MS}
          series={[
            {
              name: 'Median',
              tone: 'busy',
              values: valuesOf(({ timeInQueue }) => timeInQueue?.medianMs ?? null),
            },
            { name: '95 %', tone: 'held', values: valuesOf(({ timeInQueue }) => timeInQueue?.p95Ms ?? null) },
          ]}
        />
        <Chart
          title="CI time"
          kind="bars"
          buckets={names}
          format={minutesText}
          series={[
            { name: 'Used', tone: 'busy', values: valuesOf((span) => minutesOf(span, true)) },
            { name: 'Not used', tone: 'held', values: valuesOf((span) => minutesOf(span, false)) },
          ]}
        />
      </div>
      <div class="tables">
        <Causes total={total} />
        <Checks total={total} />
      </div>
    </>
  );
};

const MINUTE_MS = 60_000;

const wholeText = (value: number): string => (Number.isInteger(value) ? String(value) : '');
const minutesText = (minutes: number): string => durationText(minutes * MINUTE_MS);
const percentText = (part: number): string => `${(part * 100).toFixed(part > 0 && part < 0.1 ? 1 : 0)} %`;

const minutesOf = ({ ciMinutes }: Span, used: boolean): number =>
  ciMinutes.reduce((sum, one) => sum + (one.used === used ? one.minutes : 0), 0);

const Totals = ({ total }: { readonly total: Span }) => {
  const used = minutesOf(total, true);
  const spent = used + minutesOf(total, false);
  return (
    <dl class="facts">
      {[
        ['Merged', String(total.landed)],
        ['Failed', String(total.failed)],
        ['Cancelled', String(total.cancelled)],
        ['Median time in queue', total.timeInQueue === null ? '–' : durationText(total.timeInQueue.medianMs)],
        ['95 % within', total.timeInQueue === null ? '–' : durationText(total.timeInQueue.p95Ms)],
        ['CI time', minutesText(spent)],
        ['of it used', spent === 0 ? '–' : percentText(used / spent)],
      ].map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
};

/** More causes cost too little to be read. */
const CAUSES_SHOWN = 8;

const Causes = ({ total }: { readonly total: Span }) => (
  <table aria-label="CI time by cause">
    <thead>
      <tr>
        <th scope="col">CI time by cause</th>
        <th scope="col" class="number">
          Time
        </th>
        <th scope="col">Used</th>
      </tr>
    </thead>
    <tbody>
      {total.ciMinutes.slice(0, CAUSES_SHOWN).map(({ purpose, cause, used, minutes }) => (
        <tr key={`${purpose} ${cause} ${used}`}>
          <td>
            {purposeWords[purpose] ?? purpose}: {cause.replaceAll('_', ' ')}
          </td>
          <td class="number">{minutesText(minutes)}</td>
          <td>{used ? 'yes' : 'no'}</td>
        </tr>
      ))}
    </tbody>
  </table>
);

const purposeWords: Readonly<Record<string, string>> = {
  test: 'Test',
  isolate: 'Bisection',
  control: 'Baseline run',
  compose: 'Combination',
};

/** Those that fail most. */
const CHECKS_SHOWN = 8;

const Checks = ({ total }: { readonly total: Span }) => (
  <table aria-label="Checks that fail">
    <thead>
      <tr>
        <th scope="col">Check</th>
        <th scope="col" class="number">
          Tests
        </th>
        <th scope="col" class="number">
          Failed
        </th>
        <th scope="col" class="number">
          By chance
        </th>
      </tr>
    </thead>
    <tbody>
      {total.checks.slice(0, CHECKS_SHOWN).map(({ name, tests, failureRate, flakeRate }) => (
        <tr key={name}>
          <td class="summary-text">{name}</td>
          <td class="number">{tests.toLocaleString('en')}</td>
          <td class="number">{percentText(failureRate)}</td>
          <td class="number">{percentText(flakeRate)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
