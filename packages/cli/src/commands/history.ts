import type { Client } from '@mq/client';
import { command, listOf, objectOf, type QueueName, type Schemas, schemaNamed } from '../command.js';
import { requirePastInstant } from '../given-time.js';
import { type Style, stateText } from '../text/style.js';
import { clock, duration } from '../text/time.js';
import { wrapped } from '../text/width.js';

interface Options {
  readonly since?: string;
  readonly until?: string;
}

interface Line {
  readonly at: string;
  readonly pr: number;
  readonly sentence: string;
}

type Result = { readonly attempts: readonly Schemas['Attempt'][] } | { readonly events: readonly Line[] };

/** Rows that one answer shows at most; a shorter time shows the rest. */
const EVENTS_LIMIT = 1_000;

/** States that pull requests entered and test runs that ended in a time, oldest first. */
const eventsIn = async (
  client: Client,
  queue: QueueName,
  time: { readonly since: string; readonly until?: string },
  signal: AbortSignal,
): Promise<readonly Line[]> => {
  const lines: Line[] = [];
  for await (const page of client.pages(
    'listMergeQueueTestingResults',
    { ...queue, ...time, take: 100 },
    { signal },
  )) {
    for (const { endedAt, prNumber, outcome, testRunId, testingDurationMs } of page.testingResults) {
      const took = testingDurationMs === null ? '' : ` after ${duration(testingDurationMs)}`;
      lines.push({
        at: endedAt,
        pr: prNumber,
        sentence: `Test run ${testRunId} ended${took}: ${outcome.replaceAll('_', ' ')}.`,
      });
    }
    if (lines.length >= EVENTS_LIMIT) break;
  }
  for await (const page of client.pages('listPullRequests', { ...queue, ...time, take: 100 }, { signal })) {
    for (const { stateChangedAt, prNumber, state, reason } of page.pullRequests)
      lines.push({
        at: stateChangedAt,
        pr: prNumber,
        sentence: `${state.replaceAll('_', ' ')}${reason === undefined ? '.' : `: ${reason.sentence}`}`,
      });
    if (lines.length >= 2 * EVENTS_LIMIT) break;
  }
  const isIn = ({ at }: Line) => at >= time.since && (time.until === undefined || at <= time.until);
  return lines
    .filter(isIn)
    .sort((one, other) => (one.at < other.at ? -1 : 1))
    .slice(0, EVENTS_LIMIT);
};

const attemptText = (attempt: Schemas['Attempt'], style: Style): string => {
  const lines = attempt.story.map(({ timestamp, sentence }) =>
    wrapped(`  ${clock(timestamp, style.now)}  ${sentence}`, style.width, '            '),
  );
  const end = attempt.remedy === undefined ? [] : [wrapped(`  ${attempt.remedy}`, style.width, '  ')];
  return [
    `Attempt ${attempt.attempt}: ${stateText(style, attempt.state)}. ${attempt.sentence}`,
    ...lines,
    ...end,
  ].join('\n');
};

const lineText = ({ at, pr, sentence }: Line, style: Style): string =>
  wrapped(`${clock(at, style.now)}  #${pr} ${sentence}`, style.width, '          ');

export const history = command<Options, Result>({
  words: 'history',
  summary: 'Show what has happened to a pull request, or in the queue since a time.',
  parameters: [{ name: '[pr]', description: 'its number; left out, the whole queue since --since' }],
  flags: [
    {
      flags: '--since <time>',
      description: 'of the queue: from then on (30m, 2h, 14:05, an ISO instant); 1h if left out',
    },
    { flags: '--until <time>', description: 'of the queue: until then' },
  ],
  examples: ['mq history 41', 'mq history --since 14:00 --until 14:10'],
  schema: {
    anyOf: [
      objectOf({ attempts: listOf(schemaNamed('Attempt')) }),
      objectOf({
        events: listOf(
          objectOf({ at: { type: 'string' }, pr: { type: 'integer' }, sentence: { type: 'string' } }),
        ),
      }),
    ],
  },
  run: async ({ args: [pr = ''], options, io, server, queue, pullRequest }) => {
    const { client } = await server();
    const signal = io.interrupted;
    if (pr !== '') {
      const found = await client.getSubmittedPullRequest(
        { ...(await pullRequest(pr)), includeTimeline: true },
        { signal },
      );
      return { attempts: found.attempts ?? [] };
    }
    const since = requirePastInstant('--since', options.since ?? '1h', io.now());
    const until =
      options.until === undefined ? {} : { until: requirePastInstant('--until', options.until, io.now()) };
    return { events: await eventsIn(client, await queue(), { since, ...until }, signal) };
  },
  text: (result, style) => {
    if ('attempts' in result) return result.attempts.map((one) => attemptText(one, style)).join('\n\n');
    return result.events.length === 0
      ? 'Nothing happened in that time.'
      : result.events.map((one) => lineText(one, style)).join('\n');
  },
});
