import { type AnyCommand, command, listOf, objectOf } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { requireNumber } from '../../place.js';
import { type Pull, pullSchema, pullsOfHere, pullText, refusedAs } from './bare.js';

const number = { name: '<pr>', description: 'its number' };

type Unreadable = { readonly number: number; readonly fault: { readonly message: string } };
const isReadable = (one: Pull | Unreadable): one is Pull => !('fault' in one);

const edits = [
  { verb: 'ready', edit: { draft: false }, summary: 'Make a draft ready.' },
  { verb: 'draft', edit: { draft: true }, summary: 'Turn a pull request into a draft.' },
  { verb: 'close', edit: { state: 'closed' as const }, summary: 'Close a pull request.' },
  { verb: 'reopen', edit: { state: 'open' as const }, summary: 'Open a closed pull request again.' },
];

const list = command<{ readonly state?: string }, { readonly pullRequests: readonly (Pull | Unreadable)[] }>({
  words: 'pr list',
  summary: 'List the pull requests of a bare git repository.',
  flags: [
    {
      flags: '--state <state>',
      description: 'open if left out',
      choices: ['open', 'closed', 'merged', 'all'],
    },
  ],
  schema: objectOf({ pullRequests: listOf({ type: 'object', required: ['number'] }) }),
  run: async (asked) => {
    const state = asked.options.state ?? 'open';
    const pulls = await refusedAs(() => pullsOfHere(asked));
    const all = (await refusedAs(() => pulls.list())) as readonly (Pull | Unreadable)[];
    return { pullRequests: all.filter((one) => !isReadable(one) || state === 'all' || one.state === state) };
  },
  text: ({ pullRequests }) =>
    pullRequests.length === 0
      ? 'There is no such pull request.'
      : pullRequests
          .map((one) =>
            isReadable(one) ? pullText(one) : `#${one.number} cannot be read: ${one.fault.message}`,
          )
          .join('\n'),
});

const show = command<object, Pull>({
  words: 'pr show',
  summary: 'Show a pull request of a bare git repository.',
  parameters: [number],
  schema: pullSchema,
  run: async (asked) => {
    const pulls = await refusedAs(() => pullsOfHere(asked));
    const found = (await refusedAs(() => pulls.show(requireNumber(asked.args[0] ?? '')))) as
      | Pull
      | Unreadable;
    if (isReadable(found)) return found;
    throw new CliError(
      'PULL_REQUEST_UNREADABLE',
      `#${found.number} cannot be read: ${found.fault.message}`,
      exitCodes.failed,
    );
  },
  text: pullText,
});

/** The commands on a pull request that is there. */
export const prVerbs: readonly AnyCommand[] = [
  list,
  show,
  ...edits.map(({ verb, edit, summary }) =>
    command<object, Pull>({
      words: `pr ${verb}`,
      summary,
      parameters: [number],
      schema: pullSchema,
      run: async (asked) => {
        const pulls = await refusedAs(() => pullsOfHere(asked));
        return refusedAs(() => pulls.edit(requireNumber(asked.args[0] ?? ''), edit));
      },
      text: pullText,
    }),
  ),
];
