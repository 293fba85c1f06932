import { type Asked, command } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { readGivenFile } from '../given-file.js';
import { wrapped } from '../text/width.js';

interface Options {
  readonly head?: readonly string[];
  readonly chainOnly?: boolean;
  readonly file?: readonly string[];
}

interface Result {
  readonly ok: boolean;
  readonly chains: readonly object[];
  /** What `mq-verify` prints for people. */
  readonly report: string;
}

/** Bytes of receipts that are verified at once. */
const RECEIPTS_LIMIT_BYTES = 256 * 1024 * 1024;

/** All receipts of this queue, as one JSON line per page. */
const receiptsOf = async ({ io, server, queue }: Asked<Options>): Promise<string> => {
  const name = await queue();
  const { client } = await server();
  const pages: string[] = [];
  let bytes = 0;
  for await (const page of client.pages('listReceipts', { ...name, take: 100 }, { signal: io.interrupted })) {
    const line = JSON.stringify(page);
    bytes += line.length;
    if (bytes > RECEIPTS_LIMIT_BYTES) throw tooMany();
    pages.push(line);
  }
  return pages.join('\n');
};

const tooMany = (): CliError =>
  new CliError(
    'TOO_MANY_RECEIPTS',
    'There are more receipts than can be verified at once.',
    exitCodes.failed,
    'Use mq-verify with --after.',
  );

/** What the command of `@mq/host-git` prints, with these arguments. */
const verified = async (args: readonly string[], read: (name: string) => Promise<string>) => {
  const said = { out: '', err: '' };
  const { runVerifyCommand } = await import('@mq/host-git');
  const exitCode = await runVerifyCommand(args, {
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
    read,
  });
  if (exitCode === 2)
    throw new CliError(
      'NOTHING_VERIFIED',
      said.err.replace(/^mq-verify: /, ''),
      exitCodes.failed,
      'git fetch, then try again; or --chain-only.',
    );
  return said.out;
};

export const receiptsVerify = command<Options, Result>({
  words: 'receipts verify',
  summary: 'Check that the branch holds what was tested: the receipts of the queue against git.',
  flags: [
    {
      flags: '--file <file>',
      description: 'read receipts from a file instead of the server; may be given several times',
      isList: true,
    },
    {
      flags: '--head <count:hash>',
      description: 'a head of the chain that you kept earlier; may be given several times',
      isList: true,
    },
    { flags: '--chain-only', description: 'check the chain of receipts alone, without git' },
  ],
  examples: ['git fetch && mq receipts verify', 'mq receipts verify --head 3:9c21…'],
  schema: {
    type: 'object',
    required: ['ok', 'chains', 'report'],
    properties: { ok: { type: 'boolean' }, chains: { type: 'array' }, report: { type: 'string' } },
  },
  run: async (asked) => {
    const { options, io, checkout } = asked;
    const texts = options.file?.map((file) => readGivenFile(io, file)) ?? [await receiptsOf(asked)];
    const root = (await checkout())?.root ?? io.cwd;
    const heads = (options.head ?? []).flatMap((head) => ['--head', head]);
    const args = [...heads, ...(options.chainOnly === true ? ['--chain-only'] : ['--repo', root])];
    const read = async () => texts.join('\n');
    const json = JSON.parse(await verified([...args, '--json'], read)) as Omit<Result, 'report'>;
    return { ...json, report: await verified(args, read) };
  },
  text: ({ report }, style) =>
    wrapped(
      report.includes('COMMIT_MISSING')
        ? `${report}\nA commit is missing here: run git fetch, then verify again.`
        : report,
      style.width,
      '      ',
    ),
  exitCode: ({ ok }): ExitCode => (ok ? exitCodes.done : exitCodes.failed),
});
