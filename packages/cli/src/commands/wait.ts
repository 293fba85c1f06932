import type { State, Waited } from '@mq/client';
import { command, prParameter, schemaNamed } from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { CliError } from '../failure.js';
import { requireDuration } from '../given-time.js';
import { statusText, whyOf } from '../text/pull-request.js';
import { clock } from '../text/time.js';

interface Options {
  readonly until?: readonly State[];
  readonly timeout?: string;
}

const states = [
  'not_ready',
  'pending',
  'testing',
  'tests_passed',
  'pending_failure',
  'merged',
  'failed',
  'cancelled',
];

/** The exit code of a pull request that has ended; that of success for a state that was waited for. */
export const outcomeCode = (
  { state, reached }: Pick<Waited, 'state' | 'reached'>,
  isAsked: boolean,
): ExitCode => {
  if (isAsked && reached) return exitCodes.done;
  if (state === 'failed') return exitCodes.pullRequestFailed;
  if (state === 'cancelled') return exitCodes.pullRequestCancelled;
  return isAsked ? exitCodes.pullRequestFailed : exitCodes.done;
};

const timeLimit = (timeout: string | undefined): number | null =>
  timeout === undefined ? null : Math.min(requireDuration('--timeout', timeout), 2 ** 31 - 1);

interface Result extends Waited {
  /** True if `--until` named states: they then decide about the exit code. */
  readonly isAsked: boolean;
}

export const wait = command<Options, Result>({
  words: 'wait',
  summary: 'Wait until a pull request is merged, has failed or was cancelled; the exit code says which.',
  parameters: [prParameter],
  flags: [
    {
      flags: '--until <state>',
      description: 'end as soon as it is in this state; may be given several times',
      choices: states,
      isList: true,
    },
    { flags: '--timeout <time>', description: 'give up after this time: 90s, 30m, 2h' },
  ],
  examples: ['mq wait 41 && ./deploy.sh', 'mq wait --until testing --timeout 10m'],
  schema: schemaNamed('WaitForPullRequestAnswer'),
  run: async ({ args: [pr], options, io, server, pullRequest, note, isJson }) => {
    const limitMs = timeLimit(options.timeout);
    const { repo, targetBranch, pr: found } = await pullRequest(pr);
    const { client, address } = await server();
    const where = `Waiting for #${found.number} in ${repo.owner}/${repo.name} · ${targetBranch} on ${address}.`;
    let isShown = isJson;
    const over = new AbortController();
    const timer = limitMs === null ? undefined : setTimeout(() => over.abort(), limitMs);
    let last = '';
    let isLost = false;
    try {
      const waited = await client.waitFor(
        { repo, targetBranch, pr: found.number },
        {
          ...(options.until === undefined ? {} : { until: options.until }),
          signal: AbortSignal.any([io.interrupted, over.signal]),
          onChange: (now) => {
            isLost = false;
            if (!isShown) note(where);
            isShown = true;
            const said = `#${now.prNumber} ${now.state.replaceAll('_', ' ')}: ${whyOf(now)}`.trim();
            if (said !== last) note(`${clock(new Date(io.now()).toISOString(), io.now())}  ${said}`);
            last = said;
          },
          onLost: () => {
            if (!isLost) note(`${address} does not answer; waiting until it does.`);
            isLost = true;
            last = '';
          },
        },
      );
      return { ...waited, isAsked: options.until !== undefined };
    } catch (error) {
      if (io.interrupted.aborted)
        note(`Interrupted. #${found.number} stays in the queue; mq cancel ${found.number} takes it out.`);
      if (!over.signal.aborted || io.interrupted.aborted) throw error;
      throw new CliError(
        'TIME_OVER',
        `#${found.number} is still in the queue after ${options.timeout}. ${last}`.trim(),
        exitCodes.timeOver,
        `mq why ${found.number}`,
      );
    } finally {
      clearTimeout(timer);
    }
  },
  text: statusText,
  exitCode: (result) => outcomeCode(result, result.isAsked),
});
