import { command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { type Pull, pullSchema, pullsOfHere, pullText, refusedAs } from './local-pull-requests.js';

interface Options {
  readonly head?: string;
  readonly branch?: string;
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly draft?: boolean;
}

export const prOpen = command<Options, Pull>({
  words: 'pr open',
  summary: 'Open a pull request in a bare git repository, for the checked-out branch.',
  flags: [
    {
      flags: '--head <branch>',
      description: 'the branch with the change; default: the checked-out branch',
    },
    { flags: '--title <text>', description: 'default: the subject of its last commit' },
    { flags: '--body <text>', description: 'its description' },
    { flags: '--author <name>', description: 'default: the author of its last commit' },
    { flags: '--draft', description: 'as a draft' },
  ],
  examples: ['git push && mq pr open'],
  schema: pullSchema,
  run: async (asked) => {
    const { checkout, options } = asked;
    const here = await checkout();
    const pulls = await refusedAs(() => pullsOfHere(asked));
    const head = options.head ?? here?.branch ?? null;
    const base = options.branch ?? here?.defaultBranch ?? 'main';
    if (head === null || head === base)
      throw new CliError(
        'NO_HEAD',
        head === null ? 'No branch is checked out here.' : `${head} is the target branch itself.`,
        exitCodes.wrongUse,
        'Name the branch with the change: --head <branch>.',
      );
    const { title, body, author, draft } = options;
    const given = Object.entries({ title, body, author, draft }).filter(([, value]) => value !== undefined);
    return refusedAs(() => pulls.open({ head, base, ...Object.fromEntries(given) }));
  },
  text: (pull) => `${pullText(pull)}\nmq submit ${pull.number} puts it into the queue.`,
});
