import type { Client } from '@mq/client';
import type { Repo } from '../../checkout/remote.js';
import { type Asked, command, listOf, objectOf, type QueueName } from '../../command.js';
import { failedBy } from '../../failure.js';
import { rowsOf } from '../../rows.js';
import { queuesOf } from '../../target-of-command.js';
import { type Style, stateText } from '../../text/style.js';
import {
  isReadable,
  type Pull,
  pullsOfHere,
  pullText,
  refusedAs,
  type Unreadable,
} from './local-pull-requests.js';

/** `queueState`: null if it was never submitted, or the server was not asked. */
type Listed = (Pull | Unreadable) & { readonly queueState: string | null };

interface Result {
  readonly pullRequests: readonly Listed[];
  /** Why the states in the queue are not shown; null if they are. */
  readonly queueFault: string | null;
}

/** The last state of each pull request in a queue, of the newest `ROWS_LIMIT`. */
const statesIn = async (client: Client, queue: QueueName, signal: AbortSignal) => {
  const pages = client.pages('listPullRequests', { ...queue, take: 100 }, { signal });
  const states = new Map<number, string>();
  for (const { prNumber, state } of await rowsOf(pages, ({ pullRequests }) => pullRequests))
    if (!states.has(prNumber)) states.set(prNumber, state.toLowerCase());
  return states;
};

/** The state of a pull request of this number and target branch in its queue; null if it has none. */
type StateOf = (number: number, base: string) => string | null;

const queueStates = async (
  { server, io }: Asked<unknown>,
  repo: Repo,
  bases: ReadonlySet<string>,
): Promise<StateOf> => {
  const { client } = await server();
  const queues = await queuesOf(client, repo, io.interrupted);
  const wanted = queues.filter(({ targetBranch }) => bases.has(targetBranch));
  const read = wanted.map(
    async (queue) => [queue.targetBranch, await statesIn(client, queue, io.interrupted)] as const,
  );
  const byBranch = new Map(await Promise.all(read));
  return (number, base) => byBranch.get(base)?.get(number) ?? null;
};

const pullLine = (one: Listed, style: Style, isQueueKnown: boolean): string => {
  if (!isReadable(one)) return `#${one.number} cannot be read: ${one.fault.message}`;
  if (!isQueueKnown) return pullText(one);
  const inQueue = one.queueState === null ? 'not submitted' : stateText(style, one.queueState);
  return `${pullText(one)}: ${inQueue}`;
};

export const prList = command<{ readonly state?: string }, Result>({
  words: 'pr list',
  summary: 'List the pull requests of a bare git repository, and where they are in the queue.',
  flags: [
    {
      flags: '--state <state>',
      description: 'open by default',
      choices: ['open', 'closed', 'merged', 'all'],
    },
  ],
  schema: objectOf({
    pullRequests: listOf({
      type: 'object',
      required: ['number', 'queueState'],
      properties: { queueState: { type: ['string', 'null'] } },
    }),
    queueFault: { type: ['string', 'null'] },
  }),
  run: async (asked) => {
    const state = asked.options.state ?? 'open';
    const pulls = await refusedAs(() => pullsOfHere(asked));
    const all = (await refusedAs(() => pulls.list())) as readonly (Pull | Unreadable)[];
    const wanted = all.filter((one) => !isReadable(one) || state === 'all' || one.state === state);
    const bases = new Set(wanted.flatMap((one) => (isReadable(one) ? [one.base] : [])));
    let queueFault: string | null = null;
    let stateOf: StateOf = () => null;
    try {
      if (bases.size > 0) stateOf = await queueStates(asked, await asked.repo(), bases);
    } catch (error) {
      // The pull requests are listed even if the server does not answer.
      asked.io.interrupted.throwIfAborted();
      queueFault = failedBy(error, false).failure.message;
    }
    const pullRequests = wanted.map((one) => ({
      ...one,
      queueState: isReadable(one) ? stateOf(one.number, one.base) : null,
    }));
    return { pullRequests, queueFault };
  },
  text: ({ pullRequests, queueFault }, style) => {
    if (pullRequests.length === 0) return 'No pull request matches.';
    const lines = pullRequests.map((one) => pullLine(one, style, queueFault === null));
    return [
      ...lines,
      ...(queueFault === null ? [] : [`Their states in the queue are unknown: ${queueFault}`]),
    ].join('\n');
  },
});
