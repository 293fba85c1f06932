import { type Client, createClient } from '@mq/client';
import { type Checkout, findCheckout } from './checkout/git.js';
import type { Repo } from './checkout/remote.js';
import type { Asked, Place, QueueName } from './command.js';
import { serverFor } from './configuration/server.js';
import type { Io } from './io.js';
import { findRepo, guessPullRequest, guessQueue, requireNumber } from './target-of-command.js';
import { plain } from './text/plain.js';
import type { Style } from './text/style.js';

export interface GlobalOptions {
  readonly server?: string;
  readonly repo?: string;
  readonly branch?: string;
  readonly json?: boolean;
}

const once = <Value>(make: () => Promise<Value>): (() => Promise<Value>) => {
  let made: Promise<Value> | null = null;
  return () => {
    made ??= make();
    return made;
  };
};

/** Colours are shown only on a terminal, and not if the user has switched them off: https://no-color.org. */
export const styleOf = ({ env, terminal, now }: Io): Style => {
  const size = terminal();
  return {
    width: size?.columns ?? Number.POSITIVE_INFINITY,
    hasColours: size !== null && !env.NO_COLOR && env.TERM !== 'dumb',
    now: now(),
  };
};

/** What a command may ask for. Each value is determined on first use. `place` holds what was determined so far. */
export const contextFor = (
  io: Io,
  args: readonly string[],
  options: GlobalOptions,
): { readonly asked: Asked<GlobalOptions>; readonly place: () => Place } => {
  const place = {
    server: null as string | null,
    repo: null as Repo | null,
    targetBranch: null as string | null,
  };
  let pr: number | null = null;
  const checkout = once<Checkout | null>(() => findCheckout(io));
  const server = once(async () => {
    const { address, token } = await serverFor(io, options.server);
    place.server = address;
    const client: Client = createClient({ url: address, token });
    return { address, token, client };
  });
  const repo = once(async () => {
    place.repo = findRepo(options.repo, options.repo?.split('/').length === 3 ? null : await checkout());
    return place.repo;
  });
  const queue = once(async (): Promise<QueueName> => {
    const { client } = await server();
    const found =
      options.branch === undefined
        ? await guessQueue(client, await repo(), await checkout(), io.interrupted)
        : { repo: await repo(), targetBranch: options.branch };
    place.repo = found.repo;
    place.targetBranch = found.targetBranch;
    return found;
  });
  const newQueue = async (): Promise<QueueName> => {
    const targetBranch = options.branch ?? (await checkout())?.defaultBranch ?? 'main';
    const found = { repo: await repo(), targetBranch };
    place.targetBranch = targetBranch;
    return found;
  };
  const pullRequest = async (given: string | undefined) => {
    const number = given ? requireNumber(given) : null;
    const name = await queue();
    const { client } = await server();
    pr = number ?? (await guessPullRequest(client, name, await checkout(), io.interrupted));
    return { ...name, pr: { number: pr } };
  };
  const asked: Asked<GlobalOptions> = {
    ...{
      io,
      args,
      options,
      isJson: options.json === true,
      checkout,
      server,
      repo,
      queue,
      newQueue,
      pullRequest,
    },
    note: (text) => io.err(`${plain(text)}\n`),
    style: () => styleOf(io),
  };
  return { asked, place: () => ({ ...place, pr }) };
};
