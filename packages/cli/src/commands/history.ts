import type { Client } from '@mq/client';
import { command, listOf, objectOf, type QueueName, type Schemas, schemaNamed } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { requirePastInstant } from '../given-time.js';
import { ROWS_LIMIT, rowsOf } from '../rows.js';
import { withShortIds } from '../text/plain.js';
import { type Style, stateText } from '../text/style.js';
import { clock } from '../text/time.js';
import { wrapped } from '../text/width.js';

interface Options {
  readonly at?: string;
  readonly since?: string;
  readonly until?: string;
}

interface Line {
  readonly at: string;
  /** Null for an event of the queue itself. */
  readonly pr: number | null;
  readonly sentence: string;
}

interface Events {
  /** The requested time range; null if it is open at this end. */
  readonly since: string | null;
  readonly until: string | null;
  readonly events: readonly Line[];
  /** False if not all events are shown. */
  readonly isComplete: boolean;
}

interface Times {
  readonly since: string;
  readonly until?: string;
}

type Result = { readonly attempts: readonly Schemas['Attempt'][] } | Events;

/** Max rows of one answer; a shorter time range shows the rest. */
const EVENTS_LIMIT = 1_000;
/** Max pull requests whose stories are read for one answer. */
const PULL_REQUESTS_LIMIT = 300;
const AT_ONCE = 8;
const MINUTE_MS = 60_000;
/** For one pull request, its whole story before `--until` is shown. */
const EARLIEST = '1970-01-01';

type StoryEntry = Schemas['Attempt']['story'][number];

const storyIn = (attempts: readonly Schemas['Attempt'][], { since, until }: Times): readonly StoryEntry[] =>
  attempts
    .flatMap(({ story }) => story)
    .filter(({ timestamp: at }) => at >= since && (until === undefined || at <= until));

/** True for a request: it is the cause of the other events of the same instant. */
const isRequest = ({ state, testRunId }: StoryEntry): boolean => state === null && testRunId === null;

const lineOf = (pr: number, { timestamp: at, sentence }: StoryEntry): Line => ({ at, pr, sentence });

/** What happened to the queue itself: settings, states, alarms. */
const queueLinesIn = async (
  client: Client,
  queue: QueueName,
  times: Times,
  signal: AbortSignal,
): Promise<readonly Line[]> => {
  const pages = client.pages('listQueueChanges', { ...queue, ...times, take: 100 }, { signal });
  const changes = await rowsOf(pages, (page) => page.changes);
  return changes.map(({ timestamp: at, sentence }) => ({ at, pr: null, sentence }));
};

const byTime = (one: Line, other: Line): number => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0);

/** What happened to the queue and to each pull request of it in a time, oldest first. */
export const eventsIn = async (
  client: Client,
  queue: QueueName,
  times: Times,
  signal: AbortSignal,
): Promise<Events> => {
  const { since } = times;
  const prs = new Set<number>();
  // If something happened to a pull request in this time, its last change is not before `since`.
  for await (const page of client.pages('listPullRequests', { ...queue, since, take: 100 }, { signal })) {
    for (const { prNumber } of page.pullRequests) prs.add(prNumber);
    if (prs.size > PULL_REQUESTS_LIMIT) break;
  }
  const ofQueue = await queueLinesIn(client, queue, times, signal);
  const requests = new Map<string, Line>();
  const effects = new Map<string, Line>();
  const asked = [...prs].slice(0, PULL_REQUESTS_LIMIT);
  for (let from = 0; from < asked.length; from += AT_ONCE) {
    const read = asked.slice(from, from + AT_ONCE).map(async (number) => {
      const request = { ...queue, pr: { number }, includeTimeline: true };
      const { attempts = [] } = await client.getSubmittedPullRequest(request, { signal });
      // A test run of several pull requests is in the story of each.
      for (const entry of storyIn(attempts, times)) {
        const lines = isRequest(entry) ? requests : effects;
        lines.set(`${entry.timestamp} ${entry.sentence}`, lineOf(number, entry));
      }
    });
    await Promise.all(read);
  }
  const events = [...ofQueue, ...requests.values(), ...effects.values()].sort(byTime);
  return {
    ...{ since, until: times.until ?? null },
    events: events.slice(0, EVENTS_LIMIT),
    isComplete:
      prs.size <= PULL_REQUESTS_LIMIT && events.length <= EVENTS_LIMIT && ofQueue.length < ROWS_LIMIT,
  };
};

/** The time that is asked about. Throws TIME_WRONG. */
const timesOf = ({ at, since, until }: Options, now: number, earliest = '1h'): Times => {
  if (at !== undefined) {
    if (since !== undefined || until !== undefined)
      throw new CliError(
        'TIME_WRONG',
        'The time is given twice.',
        exitCodes.wrongUse,
        'Give --at, or --since and --until.',
      );
    const from = requirePastInstant('--at', at, now);
    return { since: from, until: new Date(Date.parse(from) + MINUTE_MS - 1).toISOString() };
  }
  return {
    since: requirePastInstant('--since', since ?? earliest, now),
    ...(until === undefined ? {} : { until: requirePastInstant('--until', until, now) }),
  };
};

const attemptText = (attempt: Schemas['Attempt'], style: Style): string => {
  const lines = attempt.story.map(({ timestamp, sentence }) =>
    wrapped(`  ${clock(timestamp, style.now)}  ${withShortIds(sentence)}`, style.width, '            '),
  );
  const end = attempt.remedy === undefined ? [] : [wrapped(`  ${attempt.remedy}`, style.width, '  ')];
  return [
    wrapped(
      `Attempt ${attempt.attempt}: ${stateText(style, attempt.state)}. ${withShortIds(attempt.sentence)}`,
      style.width,
      '  ',
    ),
    ...lines,
    ...end,
  ].join('\n');
};

/** Names the time: 14:05 may have been that of yesterday. */
const nothingText = ({ since, until }: Events, style: Style): string => {
  const from = since === null ? null : clock(since, style.now);
  const to = until === null ? null : clock(until, style.now);
  const time = [
    from === null ? null : `${to === null ? 'since' : 'from'} ${from}`,
    to === null ? null : `${from === null ? 'until' : 'to'} ${to}`,
  ];
  const said = `Nothing happened ${time.filter((part) => part !== null).join(' ')}.`;
  return wrapped(`${said}\nmq history --since 24h  looks further back`, style.width, '  ');
};

const lineText = ({ at, sentence }: Line, style: Style): string =>
  wrapped(`${clock(at, style.now)}  ${withShortIds(sentence)}`, style.width, '          ');

export const history = command<Options, Result>({
  words: 'history',
  summary: 'Show what has happened to a pull request, or in the queue since a time.',
  parameters: [{ name: '[pr]', description: 'its number; default: the whole queue since --since' }],
  flags: [
    {
      flags: '--since <time>',
      description: 'from this time on (30m, 2h, 14:05, an ISO instant); for the whole queue, 1h by default',
    },
    { flags: '--until <time>', description: 'until this time' },
    { flags: '--at <time>', description: 'in the minute that begins at this time' },
  ],
  examples: [
    'mq history 41',
    'mq history 41 --at 14:05',
    'mq history --at 14:05',
    'mq history --since 14:00 --until 14:10',
  ],
  schema: {
    anyOf: [
      objectOf({ attempts: listOf(schemaNamed('Attempt')) }),
      objectOf({
        events: listOf(
          objectOf({
            at: { type: 'string' },
            pr: { type: ['integer', 'null'] },
            sentence: { type: 'string' },
          }),
        ),
        isComplete: { type: 'boolean' },
        ...{ since: { type: ['string', 'null'] }, until: { type: ['string', 'null'] } },
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
      const attempts = found.attempts ?? [];
      if ([options.at, options.since, options.until].every((one) => one === undefined)) return { attempts };
      const times = timesOf(options, io.now(), EARLIEST);
      const lines = storyIn(attempts, times).map((entry) => lineOf(found.prNumber, entry));
      const isOpen = options.at === undefined && options.since === undefined;
      return {
        ...{ since: isOpen ? null : times.since, until: times.until ?? null },
        ...{ events: lines.toSorted(byTime), isComplete: true },
      };
    }
    return eventsIn(client, await queue(), timesOf(options, io.now()), signal);
  },
  text: (result, style) => {
    if ('attempts' in result) return result.attempts.map((one) => attemptText(one, style)).join('\n\n');
    const lines = result.events.map((one) => lineText(one, style));
    if (lines.length === 0) lines.push(nothingText(result, style));
    return [
      ...lines,
      ...(result.isComplete ? [] : ['There are more entries: choose a shorter time range.']),
    ].join('\n');
  },
});
