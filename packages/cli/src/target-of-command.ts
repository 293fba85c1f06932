import { type Client, MqError } from '@mq/client';
import type { Checkout } from './checkout/git.js';
import { type Repo, repoIn } from './checkout/remote.js';
import type { QueueName } from './command.js';
import { exitCodes } from './exit-codes.js';
import { CliError } from './failure.js';

/** The number in "41" or "#41"; null if the text is none. */
export const numberIn = (text: string): number | null => {
  const [, digits] = /^#?([1-9]\d{0,9})$/.exec(text) ?? [];
  return digits === undefined ? null : Number(digits);
};

export const requireNumber = (text: string): number => {
  const number = numberIn(text);
  if (number === null)
    throw new CliError(
      'NUMBER_WRONG',
      `${JSON.stringify(text)} is not the number of a pull request.`,
      exitCodes.wrongUse,
      'Write it like 41.',
    );
  return number;
};

/** The repository that an option names in full. */
export const requireRepo = (text: string): Repo => {
  const repo = repoIn(text, null);
  if (repo !== null) return repo;
  throw repoWrong(text, 'Write it like local/acme/widgets.');
};

const repoWrong = (text: string, remedy: string): CliError =>
  new CliError(
    'REPOSITORY_WRONG',
    `${JSON.stringify(text)} is not the name of a repository.`,
    exitCodes.wrongUse,
    remedy,
  );

/** The repository that `--repo` names, or that of the checkout. */
export const findRepo = (given: string | undefined, checkout: Checkout | null): Repo => {
  const guess = checkout?.repo ?? null;
  if (given !== undefined) {
    const repo = repoIn(given, guess);
    if (repo !== null) return repo;
    throw repoWrong(given, 'Write it like local/acme/widgets, or acme/widgets.');
  }
  if (guess !== null) return guess;
  throw new CliError(
    'REPOSITORY_NOT_GUESSED',
    checkout === null
      ? 'This folder is not a git checkout.'
      : 'The checkout has no remote that names a repository.',
    exitCodes.wrongUse,
    'Name the repository: --repo <host>/<owner>/<name>. `mq queue list --everywhere` lists what the server has.',
  );
};

const isSame = (one: Repo, other: Repo): boolean =>
  `${one.owner}/${one.name}`.toLowerCase() === `${other.owner}/${other.name}`.toLowerCase();

type Queues = readonly QueueName[];

/**
 * The queues of a repository, even if the server knows it under another host. Empty if several hosts have one of this
 * name.
 */
export const queuesOf = async (client: Client, repo: Repo, signal: AbortSignal): Promise<Queues> => {
  try {
    const { queues } = await client.listQueues({ repo, take: 100 }, { signal });
    if (queues.length > 0) return queues.map((queue) => ({ repo: queue.repo, targetBranch: queue.branch }));
  } catch (error) {
    // The server may know the repository under another host, so search for one of the same name.
    if (!(error instanceof MqError) || error.status !== 404) throw error;
  }
  const found: QueueName[] = [];
  for await (const { queues } of client.pages('listQueues', { take: 100 }, { signal }))
    for (const queue of queues)
      if (isSame(queue.repo, repo)) found.push({ repo: queue.repo, targetBranch: queue.branch });
  return new Set(found.map((queue) => queue.repo.host)).size > 1 ? [] : found;
};

const noQueue = (repo: Repo, queues: Queues): CliError => {
  const name = `${repo.host}/${repo.owner}/${repo.name}`;
  if (queues.length === 0)
    return new CliError(
      'NO_QUEUE_HERE',
      `There is no queue for ${name} on this server.`,
      exitCodes.notFound,
      `Create one: mq queue create --branch main. For another repository, use --repo; \`mq queue list --everywhere\` lists all queues.`,
    );
  const branches = queues.map(({ targetBranch }) => targetBranch);
  return new CliError(
    'BRANCH_NOT_GUESSED',
    `${name} has ${queues.length} queues: ${branches.join(', ')}.`,
    exitCodes.wrongUse,
    `Name one: --branch ${branches[0]}`,
  );
};

/** The only queue of the repository, or that of its default branch. */
export const guessQueue = async (
  client: Client,
  repo: Repo,
  checkout: Checkout | null,
  signal: AbortSignal,
): Promise<QueueName> => {
  const queues = await queuesOf(client, repo, signal);
  const [first] = queues;
  if (first !== undefined && queues.length === 1) return first;
  const ofDefault = queues.find(({ targetBranch }) => targetBranch === checkout?.defaultBranch);
  if (ofDefault !== undefined) return ofDefault;
  throw noQueue(repo, queues);
};

/** The pull request whose head is the branch that is checked out. */
export const guessPullRequest = async (
  client: Client,
  queue: QueueName,
  checkout: Checkout | null,
  signal: AbortSignal,
): Promise<number> => {
  const branch = checkout?.branch ?? null;
  if (branch === null || branch === queue.targetBranch)
    throw new CliError(
      'PULL_REQUEST_NOT_GUESSED',
      branch === null
        ? 'No branch is checked out here, so the pull request is unknown.'
        : `${branch} is the target branch itself, and has no pull request.`,
      exitCodes.wrongUse,
      'Give the number of the pull request, or check out its branch. `mq status` lists those in the queue.',
    );
  try {
    return (await client.getSubmittedPullRequest({ ...queue, pr: { branch } }, { signal })).prNumber;
  } catch (error) {
    if (!(error instanceof MqError) || error.status !== 404) throw error;
    throw new CliError(
      'PULL_REQUEST_NOT_GUESSED',
      `No pull request of the branch ${branch} was submitted to the queue of ${queue.targetBranch}.`,
      exitCodes.notFound,
      'Submit it: mq submit <number>. Or give the number of another one.',
      { cause: error },
    );
  }
};
