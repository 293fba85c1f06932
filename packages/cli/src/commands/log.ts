import type { Client } from '@mq/client';
import { command, listOf, objectOf, prParameter, type QueueName } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { plain } from '../text/plain.js';

interface Check {
  readonly name: string;
  readonly conclusion: string;
  readonly url: string | null;
}

interface Log extends Check {
  /** Null if the log is kept elsewhere, or no more. */
  readonly text: string | null;
}

interface Result {
  readonly testRunId: string;
  readonly logs: readonly Log[];
}

interface Options {
  readonly check?: string;
}

const LOG_LIMIT_BYTES = 16 * 1024 * 1024;
const TIME_LIMIT_MS = 60_000;

type Named = QueueName & { readonly pr: { readonly number: number } };

/** The checks that made it fail, or else those of its live test run. */
const checksOf = async (client: Client, request: Named, signal: AbortSignal) => {
  const found = await client.getSubmittedPullRequest(request, { signal });
  if (found.failure !== null)
    return { testRunId: found.failure.testRunId, checks: found.failure.failingChecks };
  const testRunId = found.testRunId ?? found.failedTestRun ?? found.verifiedByTestRun;
  if (testRunId === null)
    throw new CliError(
      'NO_TEST_RUN',
      `#${request.pr.number} has no test run, and so no log (state: ${found.state.replaceAll('_', ' ')}).`,
      exitCodes.notFound,
      `mq why ${request.pr.number}`,
    );
  const { repo, targetBranch } = request;
  const run = await client.getMergeQueueTestingDetails({ repo, targetBranch, testRunId }, { signal });
  const checks = (run.checkSuites ?? []).flatMap(({ checkRuns }) =>
    checkRuns.map(({ name, url, status, conclusion }) => ({
      name,
      url,
      conclusion: conclusion ?? status.toLowerCase(),
    })),
  );
  return { testRunId, checks };
};

/** Logs of the server itself are fetched. An address that a CI gave is only shown: neither a request nor the token goes there. */
const textOf = async (
  url: string | null,
  { address, token }: { readonly address: string; readonly token: string },
  interrupted: AbortSignal,
): Promise<string | null> => {
  if (url === null || !URL.canParse(url, `${address}/`)) return null;
  const target = new URL(url, `${address}/`);
  if (target.origin !== new URL(address).origin) return null;
  const signal = AbortSignal.any([interrupted, AbortSignal.timeout(TIME_LIMIT_MS)]);
  const headers = { 'x-api-token': token };
  const answer = await fetch(target, { headers, redirect: 'manual', signal }).catch((cause: unknown) => {
    interrupted.throwIfAborted();
    throw new CliError(
      'UNREACHABLE',
      `The log of ${target.host} cannot be read.`,
      exitCodes.unreachable,
      'Try again.',
      { cause },
    );
  });
  return answer.ok ? limitedText(answer) : null;
};

const limitedText = async (answer: Response): Promise<string> => {
  const reader = answer.body?.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes < LOG_LIMIT_BYTES) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    chunks.push(piece.value);
    bytes += piece.value.length;
  }
  await reader?.cancel().catch(() => {});
  return Buffer.concat(chunks).toString('utf8');
};

const logText = ({ name, conclusion, url, text }: Log): string => {
  const title = `== ${plain(name)}: ${plain(conclusion).toLowerCase()} ==`;
  if (text !== null) return `${title}\n${plain(text)}`;
  return `${title}\n${url === null ? 'No log is kept.' : `Its log: ${plain(url)}`}`;
};

export const log = command<Options, Result>({
  words: 'log',
  summary: 'Show the log of the check that failed, or of those that run.',
  parameters: [prParameter],
  flags: [{ flags: '--check <name>', description: 'only this check' }],
  examples: ['mq log 41', 'mq log 41 --check unit | less'],
  schema: objectOf({
    testRunId: { type: 'string' },
    logs: listOf(
      objectOf({
        name: { type: 'string' },
        conclusion: { type: 'string' },
        url: { type: ['string', 'null'] },
        text: { type: ['string', 'null'] },
      }),
    ),
  }),
  run: async ({ args: [pr], options, io, server, pullRequest }) => {
    const request = await pullRequest(pr);
    const there = await server();
    const { testRunId, checks } = await checksOf(there.client, request, io.interrupted);
    const wanted = checks.filter(({ name }) => options.check === undefined || name === options.check);
    if (wanted.length === 0)
      throw new CliError(
        'NO_SUCH_CHECK',
        `Test run ${testRunId} has no such check.`,
        exitCodes.notFound,
        checks.length === 0
          ? 'Its checks have not started yet.'
          : `It has ${checks.map(({ name }) => name).join(', ')}.`,
      );
    const logs: Log[] = [];
    for (const { name, conclusion, url } of wanted)
      logs.push({ name, conclusion, url, text: await textOf(url, there, io.interrupted) });
    return { testRunId, logs };
  },
  text: ({ logs }) => logs.map(logText).join('\n'),
  isBare: true,
});
