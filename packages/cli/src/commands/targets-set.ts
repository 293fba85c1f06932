import type { AnswerOf } from '@mq/client';
import { git } from '../checkout/git.js';
import { targetsOfPaths } from '../checkout/target-globs.js';
import { type Asked, command, prParameter, schemaNamed } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { readGivenFile } from '../given-file.js';
import { requireNumber } from '../target-of-command.js';
import { counted } from '../text/style.js';

interface Options {
  readonly target?: readonly string[];
  readonly file?: string;
  readonly stdin?: boolean;
  readonly paths?: string;
  readonly all?: boolean;
  readonly none?: boolean;
  readonly sha?: string;
}

const wrong = (message: string, remedy: string): CliError =>
  new CliError('TARGETS_WRONG', message, exitCodes.wrongUse, remedy);

const linesIn = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));

/** The targets whose globs match a file that the branch changes. A file that no glob matches means all of them. */
const byPaths = async (asked: Asked<Options>, file: string): Promise<readonly string[] | 'ALL'> => {
  const checkout = await asked.checkout();
  const { targetBranch } = await asked.queue();
  const base = checkout?.remoteName == null ? targetBranch : `${checkout.remoteName}/${targetBranch}`;
  const root = checkout?.root ?? asked.io.cwd;
  const from = checkout === null ? null : await git(asked.io, root, 'merge-base', base, 'HEAD');
  const changed =
    from === null
      ? null
      : await git(asked.io, root, 'diff-tree', '-r', '--name-only', '--no-renames', '-z', from, 'HEAD');
  if (changed === null)
    throw wrong(
      `Cannot tell what this branch changes against ${base}.`,
      `Run it in a clone that has the branch and ${base}, with their history.`,
    );
  return targetsOfPaths(
    linesIn(readGivenFile(asked.io, file)),
    changed.split('\0').filter((path) => path !== ''),
  );
};

const wanted = async (asked: Asked<Options>): Promise<readonly string[] | 'ALL'> => {
  const { target, file, stdin, paths, all, none } = asked.options;
  const given = [target, file, stdin, paths, all, none].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw wrong(
      given.length === 0 ? 'No targets were given.' : 'The targets were given in several ways.',
      'Use one of --target, --file, --stdin, --paths, --all and --none.',
    );
  if (all === true) return 'ALL';
  if (none === true) return [];
  if (target !== undefined) return target;
  if (paths !== undefined) return byPaths(asked, paths);
  const lines = linesIn(stdin === true ? await asked.io.input() : readGivenFile(asked.io, file ?? ''));
  // An empty list would mean that the change touches nothing. More likely the tool that makes the list has failed.
  if (lines.length === 0)
    throw wrong('The list of targets is empty.', 'If the pull request touches nothing, use --none.');
  return lines;
};

export const targetsSet = command<Options, AnswerOf<'setImpactedTargets'>>({
  words: 'targets set',
  summary: 'Set the targets that a pull request touches, for its head.',
  parameters: [prParameter],
  flags: [
    { flags: '--target <target>', description: 'a target; may be given several times', isList: true },
    { flags: '--file <file>', description: 'a file with one target per line' },
    { flags: '--stdin', description: 'read one target per line from standard input' },
    {
      flags: '--paths <file>',
      description: 'a file of lines "<glob> <target>"; sets the targets whose globs match a changed path',
    },
    { flags: '--all', description: 'it touches everything' },
    { flags: '--none', description: 'it touches nothing' },
    { flags: '--sha <sha>', description: 'the head that the targets are for; default: the current one' },
  ],
  examples: ['bazel query … | mq targets set 41 --stdin', 'mq targets set --paths .github/targets.txt'],
  schema: schemaNamed('SetImpactedTargetsAnswer'),
  run: async (asked) => {
    const [given = ''] = asked.args;
    if (given !== '') requireNumber(given);
    const impactedTargets = await wanted(asked);
    const { repo, targetBranch, pr } = await asked.pullRequest(given);
    const { client } = await asked.server();
    const { sha } = asked.options;
    return client.setImpactedTargets(
      {
        ...{ repo, targetBranch, pr: { ...pr, ...(sha === undefined ? {} : { sha }) } },
        impactedTargets: impactedTargets === 'ALL' ? 'ALL' : [...impactedTargets],
      },
      { signal: asked.io.interrupted },
    );
  },
  text: ({ prNumber, prSha, impactedTargetsCount: count }) =>
    `#${prNumber} touches ${count === null ? 'everything' : counted(count, 'target')} at ${prSha.slice(0, 12)}.`,
});
