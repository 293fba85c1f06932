import { type Client, isPassing } from '@mq/client';
import { type Asked, command, prParameter, type QueueName, type Schemas, schemaNamed } from '../command.js';
import { styleOf } from '../command-context.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { jsonText, plainIn } from '../text/plain.js';
import { type Found, queueTable, statusText, whyOf } from '../text/pull-request.js';
import { queueLines } from '../text/queue.js';
import { paint, type Style } from '../text/style.js';
import { clock } from '../text/time.js';
import { cut } from '../text/width.js';
import { outcomeCode } from './wait.js';

type Queue = Schemas['GetQueueAnswer'];
type Seen = Queue | Found;

const REDRAW_MS = 1_000;
const SETTLE_MS = 150;
const ALTERNATE_SCREEN = '\u001b[?1049h\u001b[?25l';
const FIRST_SCREEN = '\u001b[?25h\u001b[?1049l';

const isQueue = (seen: Seen): seen is Queue => 'enqueuedPullRequests' in seen;
const isOver = (seen: Seen): boolean =>
  !isQueue(seen) && ['merged', 'failed', 'cancelled'].includes(seen.state);

/** What the screen shows, in at most `rows` lines. Pure. */
export const frame = (
  seen: Seen,
  style: Style,
  title: string,
  live: 'live' | 'lost' | 'ended',
  rows: number,
): string => {
  const body = isQueue(seen)
    ? [...queueLines(seen, style), '', queueTable(seen, style)].join('\n')
    : statusText(seen, style);
  const time = clock(new Date(style.now).toISOString(), style.now);
  const words = {
    live: `${time}  Ctrl-C ends`,
    lost: 'the server does not answer; retrying',
    ended: time,
  };
  const lines = [paint(style, 'dim', cut(`${title}  ${words[live]}`, style.width)), ...body.split('\n')];
  const room = Math.max(2, rows - 1);
  return lines.length <= room
    ? lines.join('\n')
    : [...lines.slice(0, room - 1), `… ${lines.length - room + 1} more`].join('\n');
};

/** What has changed, a line for each pull request: for logs and pipes. Pure. */
export const changes = (before: Seen | null, seen: Seen): readonly string[] => {
  const rowsOf = (one: Seen | null) => {
    if (one === null) return [];
    return isQueue(one) ? [...one.enqueuedPullRequests, ...one.notReadyPullRequests] : [one];
  };
  const textOf = (one: Schemas['EnqueuedPullRequest']) =>
    `#${one.prNumber} ${one.state.replaceAll('_', ' ')}: ${whyOf(one)}`;
  const known = new Set(rowsOf(before).map(textOf));
  const lines = rowsOf(seen)
    .map(textOf)
    .filter((text) => !known.has(text));
  const numbers = new Set(rowsOf(seen).map(({ prNumber }) => prNumber));
  const gone = rowsOf(before).filter(({ prNumber }) => !numbers.has(prNumber));
  return [...lines, ...gone.map(({ prNumber }) => `#${prNumber} has left the queue`)];
};

interface Watched {
  readonly read: (client: Client, signal: AbortSignal) => Promise<Seen>;
  readonly queue: QueueName;
  readonly pr: number | null;
  readonly title: string;
}

interface Shown {
  readonly update: (seen: Seen, isLost: boolean) => void;
  readonly end: () => void;
}

/** On a terminal: a screen of its own, drawn again at every change, every second, and when it has another size. */
const screen = ({ io }: Asked<object>, { title }: Watched): Shown => {
  let last: Seen | null = null;
  let isLost = false;
  const draw = () => {
    if (last === null) return;
    const rows = io.terminal()?.rows ?? 24;
    const lines = frame(plainIn(last), styleOf(io), title, isLost ? 'lost' : 'live', rows).split('\n');
    io.out(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\n')}\u001b[J`);
  };
  io.out(ALTERNATE_SCREEN);
  const timer = setInterval(draw, REDRAW_MS);
  const stopResize = io.onResize(draw);
  return {
    update: (seen, lost) => {
      last = seen;
      isLost = lost;
      draw();
    },
    end: () => {
      clearInterval(timer);
      stopResize();
      io.out(FIRST_SCREEN);
      if (last !== null)
        io.out(`${frame(plainIn(last), styleOf(io), title, 'ended', Number.POSITIVE_INFINITY)}\n`);
    },
  };
};

/** Elsewhere: a line for each change; with --json one line of JSON for each reading. */
const lines = ({ io, isJson, note }: Asked<object>, { title }: Watched): Shown => {
  let last: Seen | null = null;
  let wasLost = false;
  return {
    update: (seen, isLost) => {
      if (last === null && !isJson) note(title);
      if (isLost && !wasLost) note('The server does not answer; retrying.');
      wasLost = isLost;
      if (isJson && seen !== last) io.out(`${jsonText({ seen })}\n`);
      const time = clock(new Date(io.now()).toISOString(), io.now());
      if (!isJson) for (const line of changes(last, plainIn(seen))) io.out(`${time}  ${line}\n`);
      last = plainIn(seen);
    },
    end: () => {},
  };
};

/** Reads after every event, once for several that come together, until the pull request has ended. */
const follow = async (asked: Asked<object>, watched: Watched, shown: Shown): Promise<Seen> => {
  const { client } = await asked.server();
  const end = new AbortController();
  const signal = AbortSignal.any([asked.io.interrupted, end.signal]);
  let last = await watched.read(client, signal);
  shown.update(last, false);
  if (isOver(last)) return last;
  let isSettling = false;
  let failure: unknown = null;
  const look = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    isSettling = false;
    try {
      last = await watched.read(client, signal);
      shown.update(last, false);
      if (isOver(last)) end.abort();
    } catch (error) {
      // The stream finds out that the server is away, and this is repeated when it is back.
      if (isPassing(error) || signal.aborted) return;
      failure = error;
      end.abort();
    }
  };
  const soon = () => {
    if (isSettling) return;
    isSettling = true;
    void look();
  };
  const { repo, targetBranch } = watched.queue;
  try {
    const options = { signal, onOpen: soon, onLost: () => shown.update(last, true) };
    for await (const _ of client.events({ repo, targetBranch }, options)) soon();
  } catch (error) {
    asked.io.interrupted.throwIfAborted();
    if (!end.signal.aborted) throw error;
  }
  if (failure !== null) throw failure;
  return last;
};

export const watch = command<object, Seen>({
  words: 'watch',
  summary: 'Follow the queue or a pull request live; ends when the pull request has ended.',
  parameters: [{ ...prParameter, description: 'its number; default: the whole queue' }],
  examples: ['mq watch', 'mq watch 41'],
  schema: { anyOf: [schemaNamed('GetQueueAnswer'), schemaNamed('FoundPullRequest')] },
  run: async (asked) => {
    const [pr = ''] = asked.args;
    const named = pr === '' ? null : await asked.pullRequest(pr);
    const queue = named ?? (await asked.queue());
    const { repo, targetBranch } = queue;
    const watched: Watched = {
      queue: { repo, targetBranch },
      pr: named?.pr.number ?? null,
      title: `${repo.owner}/${repo.name} · ${targetBranch}${named === null ? '' : ` · #${named.pr.number}`}`,
      read: (client, signal) =>
        named === null
          ? client.getQueue({ repo, targetBranch }, { signal })
          : client.getSubmittedPullRequest({ ...named, includeEstimatedTimeToMerge: true }, { signal }),
    };
    const shown =
      asked.io.terminal() === null || asked.isJson ? lines(asked, watched) : screen(asked, watched);
    try {
      return await follow(asked, watched, shown);
    } finally {
      shown.end();
    }
  },
  text: () => '',
  exitCode: (seen): ExitCode =>
    isQueue(seen) ? exitCodes.done : outcomeCode({ state: seen.state, reached: false }, false),
  isLive: true,
});
