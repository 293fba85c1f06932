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
      `What this branch changes against ${base} cannot be found out here.`,
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
      given.length === 0 ? 'No targets are given.' : 'The targets are given in several ways.',
      'Use one of --target, --file, --stdin, --paths, --all and --none.',
    );
  if (all === true) return 'ALL';
  if (none === true) return [];
  if (target !== undefined) return target;
  if (paths !== undefined) return byPaths(asked, paths);
  const lines = linesIn(stdin === true ? await asked.io.input() : readGivenFile(asked.io, file ?? ''));
  // An empty list would say that the change touches nothing, where most likely a tool before this one has failed.
  if (lines.length === 0) throw wrong('The list of targets is empty.', 'If it touches nothing, say --none.');
  return lines;
};

export const targetsSet = command<Options, AnswerOf<'setImpactedTargets'>>({
  words: 'targets set',
  summary: 'Set the targets that a pull request touches, for its head.',
  parameters: [prParameter],
  flags: [
    { flags: '--target <target>', description: 'one of them; may be given several times', isList: true },
    { flags: '--file <file>', description: 'from a file, one in a line' },
    { flags: '--stdin', description: 'from standard input, one in a line' },
    {
      flags: '--paths <file>',
      description: 'from the paths that the branch changes; the file has lines "<glob> <target>"',
    },
    { flags: '--all', description: 'it touches everything' },
    { flags: '--none', description: 'it touches nothing' },
    { flags: '--sha <sha>', description: 'the head that they belong to; default: the current one' },
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
