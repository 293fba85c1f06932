import { type AnyCommand, command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { CliError } from '../../failure.js';
import { requireNumber } from '../../target-of-command.js';
import { prList } from './list.js';
import {
  isReadable,
  type Pull,
  pullSchema,
  pullsOfHere,
  pullText,
  refusedAs,
  type Unreadable,
} from './local-pull-requests.js';

const number = { name: '<pr>', description: 'its number' };

const changes = [
  { verb: 'ready', change: { draft: false }, summary: 'Make a draft ready.' },
  { verb: 'draft', change: { draft: true }, summary: 'Turn a pull request into a draft.' },
  { verb: 'close', change: { state: 'closed' as const }, summary: 'Close a pull request.' },
  { verb: 'reopen', change: { state: 'open' as const }, summary: 'Open a closed pull request again.' },
];

interface EditOptions {
  readonly title?: string;
  readonly body?: string;
  readonly author?: string;
  readonly base?: string;
  readonly label?: readonly string[];
}

const edit = command<EditOptions, Pull>({
  words: 'pr edit',
  summary: 'Change the title, description, base, author or labels of a pull request.',
  parameters: [number],
  flags: [
    { flags: '--title <text>', description: 'its title' },
    { flags: '--body <text>', description: 'its description' },
    { flags: '--base <branch>', description: 'the branch that it is for' },
    { flags: '--author <name>', description: 'its author' },
    {
      flags: '--label <name>',
      description: 'a label, in place of those it has; may be given several times',
      isList: true,
    },
  ],
  examples: ['mq pr edit 41 --title "Retry uploads"', 'mq pr edit 41 --base release --label urgent'],
  schema: pullSchema,
  run: async (asked) => {
    const { title, body, base, author, label: labels } = asked.options;
    const given = Object.entries({ title, body, base, author, labels }).filter(
      ([, value]) => value !== undefined,
    );
    if (given.length === 0)
      throw new CliError(
        'NOTHING_TO_CHANGE',
        'No change was given.',
        exitCodes.wrongUse,
        'Give --title, --body, --base, --author or --label.',
      );
    const pulls = await refusedAs(() => pullsOfHere(asked));
    return refusedAs(() => pulls.edit(requireNumber(asked.args[0] ?? ''), Object.fromEntries(given)));
  },
  text: pullText,
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
  prList,
  show,
  edit,
  ...changes.map(({ verb, change, summary }) =>
    command<object, Pull>({
      words: `pr ${verb}`,
      summary,
      parameters: [number],
      schema: pullSchema,
      run: async (asked) => {
        const pulls = await refusedAs(() => pullsOfHere(asked));
        return refusedAs(() => pulls.edit(requireNumber(asked.args[0] ?? ''), change));
      },
      text: pullText,
    }),
  ),
];
