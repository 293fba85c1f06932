import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { HostError, type HostPullRequest, isReadable, type PullRequestAnswer } from '@mq/core';
import { type PullRequests, pullRequestsOf } from './pull-requests.js';
import { PullRequestError } from './write.js';

export interface CommandOutput {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
}

const HELP = `mq-pr: pull requests that live in a bare git repository

  mq-pr open   --head <branch> --base <branch> [--title <text>] [--body <text>] [--author <name>] [--label <text>]… [--draft]
  mq-pr edit   <number> [--title <text>] [--body <text>] [--base <branch>] [--label <text>]…
  mq-pr ready  <number>        make a draft ready for review
  mq-pr draft  <number>        turn it into a draft
  mq-pr close  <number>
  mq-pr reopen <number>
  mq-pr show   <number>
  mq-pr list   [--state open|closed|merged|all]

  --repo <path>   the bare repository; default: the current folder
  --json          answer as JSON

Push the branch first: git push <repository> <branch>. A later push to it updates the pull request.
A text that starts with a dash is written as --title=<text>.`;

const options = {
  repo: { type: 'string' },
  head: { type: 'string' },
  base: { type: 'string' },
  title: { type: 'string' },
  body: { type: 'string' },
  author: { type: 'string' },
  label: { type: 'string', multiple: true },
  state: { type: 'string' },
  draft: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

const parse = (args: readonly string[]) => parseArgs({ args: [...args], options, allowPositionals: true });
type Asked = ReturnType<typeof parse>;

/** Returns the exit code: 0, 1 if it failed, 2 if the command line is invalid. */
export const runCommand = async (args: readonly string[], { out, err }: CommandOutput): Promise<number> => {
  const json = args.includes('--json');
  const fail = (code: string, message: string, exit: number): number => {
    err(json ? JSON.stringify({ code, message }) : `mq-pr: ${message} (${code})`);
    return exit;
  };
  try {
    const asked = parse(args);
    if (asked.values.help || asked.positionals.length === 0) {
      (asked.values.help ? out : err)(HELP);
      return asked.values.help ? 0 : 2;
    }
    refuseUnknown(asked.positionals[0]);
    const answer = await carryOut(await pullRequestsOf(resolve(asked.values.repo ?? '.')), asked);
    const lines = 'number' in answer ? [textOf(answer)] : answer.map(textOf);
    out(json ? JSON.stringify(answer, null, 2) : lines.join('\n') || 'There is no pull request.');
    return 0;
  } catch (error) {
    if (error instanceof PullRequestError)
      return fail(error.code, `${error.message}${next[error.code] ?? ''}`, 1);
    if (error instanceof HostError) return fail('GIT_FAILED', error.message, 1);
    if (error instanceof TypeError && 'code' in error) return fail('BAD_INPUT', error.message, 2);
    throw error;
  }
};

const verbs = ['open', 'edit', 'ready', 'draft', 'close', 'reopen', 'show', 'list'] as const;

/** Validates before it opens the repository, which may be wrong for the same reason. */
const refuseUnknown = (verb: string | undefined): void => {
  if (!verbs.some((known) => known === verb))
    throw new PullRequestError(
      'BAD_INPUT',
      `there is no ${JSON.stringify(verb)}: it is one of ${verbs.join(', ')}; see mq-pr --help.`,
    );
};

/** The remedy, in terms of this command. */
const next: Readonly<Record<string, string>> = {
  REPOSITORY_UNKNOWN: ' Here: --repo <path>.',
  PULL_REQUEST_UNKNOWN: ' See mq-pr list --state all.',
};

const carryOut = async (
  pulls: PullRequests,
  { values, positionals }: Asked,
): Promise<HostPullRequest | readonly PullRequestAnswer[]> => {
  const [verb, ...rest] = positionals;
  const number = () => numberIn(rest);
  switch (verb) {
    case 'open':
      return pulls.open({
        ...given(values),
        head: need(values.head, 'head'),
        base: need(values.base, 'base'),
      });
    case 'edit':
      return pulls.edit(number(), given(values));
    case 'ready':
      return pulls.edit(number(), { draft: false });
    case 'draft':
      return pulls.edit(number(), { draft: true });
    case 'close':
      return pulls.edit(number(), { state: 'closed' });
    case 'reopen':
      return pulls.edit(number(), { state: 'open' });
    case 'show':
      return pulls.show(number());
    default:
      return listed(pulls, values.state ?? 'open');
  }
};

const states = ['open', 'closed', 'merged', 'all'];

const listed = async (pulls: PullRequests, wanted: string): Promise<readonly PullRequestAnswer[]> => {
  if (!states.includes(wanted))
    throw new PullRequestError('BAD_INPUT', `--state is one of ${states.join(', ')}.`);
  // Listed in any state, so that a damaged pull request is visible.
  return (await pulls.list()).filter((one) => !isReadable(one) || ['all', one.state].includes(wanted));
};

const given = ({ title, body, base, author, label, draft }: Asked['values']) => ({
  ...(title === undefined ? {} : { title }),
  ...(body === undefined ? {} : { body }),
  ...(base === undefined ? {} : { base }),
  ...(author === undefined ? {} : { author }),
  ...(label === undefined ? {} : { labels: label }),
  ...(draft === undefined ? {} : { draft }),
});

const need = (value: string | undefined, name: string): string => {
  if (value !== undefined) return value;
  throw new PullRequestError('BAD_INPUT', `--${name} <branch> is missing.`);
};

const numberIn = ([text = '', ...more]: readonly string[]): number => {
  if (/^#?[1-9]\d{0,9}$/.test(text) && more.length === 0) return Number(text.replace('#', ''));
  throw new PullRequestError('BAD_INPUT', 'the number of one pull request is needed, such as 12.');
};

const textOf = (pull: PullRequestAnswer): string => {
  if (!isReadable(pull)) return `#${pull.number}  cannot be read: ${pull.fault.message}`;
  const draft = pull.draft ? ', draft' : '';
  const conflict =
    pull.mergeabilityReason === null || pull.state !== 'open' ? '' : `\n     ${pull.mergeabilityReason}`;
  return `#${pull.number}  ${pull.title}  (${pull.headBranch ?? 'branch gone'} → ${pull.base}, ${pull.state}${draft}, ${pull.head.slice(0, 12)}, by ${pull.author})${conflict}`;
};
