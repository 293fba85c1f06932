import type { Followed, FoundView } from '@mq/core';
import type { z } from 'zod';
import { type Ask, TOKEN_CHECK_MS } from './operation.js';
import { findPullRequest } from './reads.js';
import { queueOf } from './request-model.js';
import type * as pullRequest from './schemas/pull-request.js';

type Request = z.output<typeof pullRequest.waitForPullRequestRequest>;
type Waited = z.output<typeof pullRequest.waitedForPullRequest>;
type State = FoundView['submission']['state'];

const terminal: ReadonlySet<State> = new Set(['merged', 'failed', 'cancelled']);

/**
 * A long poll: answers when the pull request enters one of the requested states or a terminal state, or after the requested
 * time. Subscribes to the history before the first read, so that no change in between is missed.
 */
export const waitForPullRequest = async (ask: Ask<Request>): Promise<Waited> => {
  const { mq, body } = ask;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), body.waitSeconds * 1000);
  let invalid: unknown = null;
  const endWith = (error: unknown): void => {
    invalid = error;
    over.abort();
  };
  const tokenCheck = setInterval(() => void ask.requireStillValid().catch(endWith), TOKEN_CHECK_MS);
  const signal = AbortSignal.any([over.signal, ask.untilOver()]);
  try {
    let last: Waited | null = null;
    for await (const step of mq.follow({ ...queueOf(body), signal })) {
      if (!isAbout(step, body.pr.number)) continue;
      last = await lookAt(ask);
      if (last.reached || terminal.has(last.state)) return last;
      if (body.waitSeconds === 0) break;
    }
    if (invalid !== null) throw invalid;
    return last ?? (await lookAt(ask));
  } finally {
    clearTimeout(timer);
    clearInterval(tokenCheck);
    over.abort();
  }
};

const isAbout = (step: Followed, pr: number): boolean =>
  step.type !== 'row' || (step.row.type === 'moved' && step.row.pr === pr);

const lookAt = async (ask: Ask<Request>): Promise<Waited> => {
  const found = await findPullRequest({ ...ask, body: { ...queueOf(ask.body), pr: ask.body.pr } });
  return { ...found, reached: ask.body.until.includes(found.state) };
};
