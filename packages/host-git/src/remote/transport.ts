import { HostError, isSha, type Sha } from '@mq/core';
import PQueue from 'p-queue';
import { type GitAnswer, type GitCall, readable, runGit } from '../git.js';
import type { GitRepository } from '../repositories.js';
import { pastStaleLocks } from '../stale-locks.js';

const FETCH_TIMEOUT_MS = 10 * 60_000;
const PUSH_TIMEOUT_MS = 120_000;
const LIST_TIMEOUT_MS = 30_000;
/** Max git commands that connect to one server at the same time. */
export const CONNECTIONS_LIMIT = 6;

export interface RemoteAccess {
  /** The address for git, without credentials. */
  readonly url: string;
  /** Git settings for a command, e.g. the header with the credentials. Called for each command. */
  readonly settings: () => Promise<Readonly<Record<string, string>>>;
  /** Ends all commands. */
  readonly stop: AbortSignal;
  /** Called before each connection. */
  readonly onConnection?: () => void;
  /** Shared by the repositories of one server, so that a slow server holds up no other. */
  readonly connections: PQueue;
}

export const connectionsOfOneServer = (): PQueue => new PQueue({ concurrency: CONNECTIONS_LIMIT });

/** A change by a push. `was`: the expected target; null if the ref must not exist; undefined to force it from any state. */
export interface PushedRef {
  readonly ref: string;
  readonly to: Sha | null;
  readonly was?: Sha | null;
}

export type PushOutcome =
  | { readonly kind: 'pushed' }
  /** A ref did not have the expected target, or was locked by another push. Nothing has changed. */
  | { readonly kind: 'stale' }
  /** The server's rules refuse the push. Nothing has changed. */
  | { readonly kind: 'refused'; readonly message: string };

/** Git commands that connect to a server. No credential reaches a file or a list of processes. */
export class Transport {
  constructor(
    private readonly repo: Pick<GitRepository, 'path' | 'folder'>,
    private readonly access: RemoteAccess,
  ) {}

  /** The matching refs of the server, by full name. `*` matches any text. */
  async list(patterns: readonly string[]): Promise<ReadonlyMap<string, Sha>> {
    const { stdout } = await this.#run(
      { command: 'ls-remote', args: ['--refs', '--end-of-options', this.access.url, ...patterns] },
      LIST_TIMEOUT_MS,
    );
    const found = new Map<string, Sha>();
    for (const line of stdout.toString('utf8').split('\n')) {
      const [sha = '', ref = ''] = line.split('\t');
      if (isSha(sha) && ref.startsWith('refs/')) found.set(ref, sha);
    }
    return found;
  }

  /** Fetches commits and sets their refs in the mirror, if given. Resolves with git's error, or null if all were fetched. */
  async fetch(
    wanted: readonly { readonly commit: Sha; readonly ref: string | null }[],
  ): Promise<string | null> {
    const specs = wanted.map(({ commit, ref }) => (ref === null ? commit : `+${commit}:${ref}`));
    const call = {
      command: 'fetch',
      args: [
        ...['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance'],
        ...['--no-recurse-submodules', '--end-of-options', this.access.url, ...specs],
      ],
      codes: [0, 1, 128],
    } as const;
    const { code, stderr } = await pastStaleLocks(this.repo, () => this.#run(call, FETCH_TIMEOUT_MS));
    return code === 0 ? null : stderr;
  }

  /** Changes all refs, or none. */
  async push(refs: readonly PushedRef[]): Promise<PushOutcome> {
    const leases = refs.flatMap(({ ref, was }) =>
      was === undefined ? [] : [`--force-with-lease=${ref}:${was ?? ''}`],
    );
    const specs = refs.map(({ ref, to, was }) => `${was === undefined ? '+' : ''}${to ?? ''}:${ref}`);
    const { code, stdout, stderr } = await this.#run(
      {
        command: 'push',
        args: [
          ...['--porcelain', '--atomic', '--no-verify', '--recurse-submodules=no', ...leases],
          ...['--end-of-options', this.access.url, ...specs],
        ],
        codes: [0, 1],
      },
      PUSH_TIMEOUT_MS,
    );
    return code === 0 ? { kind: 'pushed' } : refusalIn(stdout.toString('utf8'), stderr);
  }

  async #run(call: Omit<GitCall, 'gitDir' | 'network' | 'stop'>, timeoutMs: number): Promise<GitAnswer> {
    const { connections, settings, stop, onConnection } = this.access;
    return connections.add(async () => {
      onConnection?.();
      const network = { settings: await settings(), timeoutMs };
      const codes = [...(call.codes ?? [0]), 128];
      const answer = await runGit({ ...call, codes, gitDir: this.repo.path, stop, network });
      if (answer.code === 128 && !(call.codes ?? [0]).includes(128))
        throw connectionError(call.command, answer.stderr);
      if (answer.code === 128 && isRefusedAccess(answer.stderr))
        throw connectionError(call.command, answer.stderr);
      return answer;
    });
  }
}

const isRefusedAccess = (stderr: string): boolean =>
  /Authentication failed|could not read (?:Username|Password)|returned error: 40[13]/.test(stderr);

const connectionError = (command: string, stderr: string): HostError =>
  isRefusedAccess(stderr)
    ? new HostError(
        `The host refuses the credentials for git ${command}: ${readable(stderr)}`,
        'never',
        null,
        {
          reach: 'access',
        },
      )
    : new HostError(`git ${command} failed at the host: ${readable(stderr)}`, 'later');

/** Parses the refused refs of `--porcelain`, whose lines are `!`, tab, refs, tab, reason. */
const refusalIn = (stdout: string, stderr: string): PushOutcome => {
  const reasons = stdout
    .split('\n')
    .filter((line) => line.startsWith('!'))
    .map((line) => line.split('\t')[2] ?? '');
  const declined = reasons.find((reason) => /hook declined|deny|prohibited|protected/.test(reason));
  if (declined !== undefined) {
    const said = stderr
      .split('\n')
      .filter((line) => /^remote: \s*\S/.test(line))
      .map((line) => line.slice('remote:'.length).trim());
    return { kind: 'refused', message: readable(said.length === 0 ? declined : said.join(' ')) };
  }
  const isStale = reasons.some((reason) =>
    /stale info|fetch first|non-fast-forward|failed to update ref|cannot lock ref|remote ref updated|incorrect old value|reference already exists|atomic transaction failed/.test(
      reason,
    ),
  );
  if (isStale) return { kind: 'stale' };
  throw new HostError(`git push failed at the host: ${readable(reasons.join(' ') || stderr)}`, 'later');
};
