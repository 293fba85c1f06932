import type { FoundView } from '@mq/core';
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
 * time. Subscribes to its changes before the first read, so that no change in between is missed.
 */
export const waitForPullRequest = async (ask: Ask<Request>): Promise<Waited> => {
  const { body, changes } = ask;
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), body.waitSeconds * 1000);
  let invalid: unknown = null;
  const endWith = (error: unknown): void => {
    invalid = error;
    over.abort();
  };
  const tokenCheck = setInterval(() => void ask.requireStillValid().catch(endWith), TOKEN_CHECK_MS);
  const signal = AbortSignal.any([over.signal, ask.untilOver('follows')]);
  const watch = changes.watch(queueOf(body), body.pr.number);
  try {
    await watch.started;
    let last = await lookAt(ask);
    while (!last.reached && !terminal.has(last.state) && body.waitSeconds > 0) {
      if (!(await watch.changed(signal))) break;
      last = await lookAt(ask);
    }
    if (invalid !== null) throw invalid;
    return last;
  } finally {
    watch.close();
    clearTimeout(timer);
    clearInterval(tokenCheck);
    over.abort();
  }
};

const lookAt = async (ask: Ask<Request>): Promise<Waited> => {
  const found = await findPullRequest({ ...ask, body: { ...queueOf(ask.body), pr: ask.body.pr } });
  return { ...found, reached: ask.body.until.includes(found.state) };
};
