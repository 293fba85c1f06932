import { parseArgs } from 'node:util';
import { type ChainHead, HostError } from '@mq/core';
import type { CommandOutput } from '../pulls/command.js';
import { type GivenChain, readChains } from './input.js';
import { type LandingsVerification, verifyLandings } from './verify.js';
import { VerifyError } from './verify-error.js';

/** Max size of a file of receipts, or of standard input. */
export const RECEIPTS_LIMIT_BYTES = 256 * 1024 * 1024;

export interface VerifyInput {
  /** The text of a file, or of standard input for `-`. Rejects if it cannot be read or is larger than the limit. */
  readonly read: (name: string) => Promise<string>;
}

const HELP = `mq-verify: does git hold what the receipts of a merge queue say?

  mq-verify [<file>…]     answers of POST /v1/listReceipts, as JSON; - or nothing: standard input

  --repo <path>           a git repository, bare or a clone; default: the current folder
  --branch <name>         the branch, or a full ref; default: the branch of the receipts
  --head <count>:<hash>   a head of the chain that you kept earlier; the receipts have to contain it. May be repeated
  --after <count>:<hash>  the receipts begin after this head, which was verified before
  --chain-only            ask no repository
  --json                  answer as JSON

Nothing is sent anywhere, and nothing is written. Exit code 0: all is well. 1: something is wrong, and each fault is named.
2: nothing could be verified.`;

const options = {
  repo: { type: 'string' },
  branch: { type: 'string' },
  head: { type: 'string', multiple: true },
  after: { type: 'string' },
  'chain-only': { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Verified extends LandingsVerification {
  readonly chain: GivenChain;
}

/** Returns the exit code that the help text documents. */
export const runVerifyCommand = async (
  args: readonly string[],
  { out, err, read }: CommandOutput & VerifyInput,
): Promise<number> => {
  const json = args.includes('--json');
  const fail = (code: string, message: string): number => {
    err(json ? JSON.stringify({ code, message }) : `mq-verify: ${message} (${code})`);
    return 2;
  };
  try {
    const { values, positionals } = parseArgs({ args: [...args], options, allowPositionals: true });
    if (values.help) {
      out(HELP);
      return 0;
    }
    const names = positionals.length === 0 ? ['-'] : positionals;
    const inputs: { name: string; text: string }[] = [];
    for (const name of names)
      inputs.push({ name: name === '-' ? 'standard input' : name, text: await read(name) });
    const after = values.after === undefined ? undefined : headIn(values.after);
    const heads = (values.head ?? []).map(headIn);
    const chains = readChains(inputs);
    if (chains.length !== 1 && (after !== undefined || heads.length > 0))
      throw new VerifyError('BAD_INPUT', `--head and --after are of one queue; here are ${chains.length}.`);
    const verified: Verified[] = [];
    for (const chain of chains)
      verified.push({
        chain,
        ...(await verifyLandings({
          receipts: chain.receipts,
          heads: [...chain.heads, ...heads],
          repository: values['chain-only'] === true ? null : (values.repo ?? '.'),
          ...(after === undefined ? {} : { after }),
          ...(values.branch === undefined ? {} : { branch: values.branch }),
        })),
      });
    out(json ? JSON.stringify(asJson(verified), null, 2) : asText(verified));
    return verified.every(({ faults }) => faults.length === 0) ? 0 : 1;
  } catch (error) {
    if (error instanceof VerifyError) return fail(error.code, error.message);
    if (error instanceof HostError) return fail('GIT_FAILED', error.message);
    if (error instanceof TypeError && 'code' in error) return fail('BAD_INPUT', error.message);
    if (error instanceof RangeError) return fail('BAD_INPUT', 'the receipts are nested too deeply.');
    throw error;
  }
};

const headIn = (text: string): ChainHead => {
  const [, count, hash] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (hash === undefined)
    throw new VerifyError(
      'BAD_INPUT',
      `${JSON.stringify(text)} is not a head of a chain: write <count>:<hash>.`,
    );
  return { count: Number(count), hash };
};

const asJson = (verified: readonly Verified[]) => ({
  ok: verified.every(({ faults }) => faults.length === 0),
  chains: verified.map(({ chain, tip, ...rest }) => ({
    queueId: chain.receipts[0]?.queueId ?? null,
    repo: chain.receipts[0]?.repo ?? null,
    branch: chain.receipts[0]?.branch ?? null,
    receipts: chain.receipts.length,
    ref: tip?.ref ?? null,
    tip: tip?.commit ?? null,
    ...rest,
  })),
});

const asText = (verified: readonly Verified[]): string =>
  verified.length === 0 ? 'There are no receipts: nothing has landed.' : verified.flatMap(linesOf).join('\n');

const linesOf = ({
  chain,
  faults,
  head,
  landings,
  tip,
  pastTheQueue,
  uncheckedRebases,
}: Verified): readonly string[] => {
  const [first] = chain.receipts;
  const where = first === undefined ? '' : `${first.repo.owner}/${first.repo.name}, ${first.branch}`;
  const seen = tip === null ? 'the chain alone' : `${tip.ref} at ${tip.commit.slice(0, 12)}`;
  return [
    `${where}: ${counted(chain.receipts.length, 'receipt')} of ${counted(landings, 'landing')}, ${seen}`,
    ...faults.map(({ code, sentence }) => `  ✖ ${code}  ${sentence}`),
    ...(faults.length > 0
      ? [`  ${counted(faults.length, 'fault')}.`]
      : [`  ✔ all is well. Keep this head for the next time: ${head.count}:${head.hash ?? ''}`]),
    ...(uncheckedRebases === 0
      ? []
      : [
          `  – ${counted(uncheckedRebases, 'pull request')} landed by rebase whose head is not here: whether its merge commits added content was not checked`,
        ]),
    ...pastTheQueue.map(
      ({ after, from, to, commits }) =>
        `  – after receipt ${after}: ${counted(commits, 'commit')} without a receipt (${from.slice(0, 12)}..${to.slice(0, 12)})`,
    ),
  ];
};

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
