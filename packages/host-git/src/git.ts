import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { HostError, oneLine } from '@mq/core';
import { inSlot, type Running } from './git-slots.js';
import { signalGroup } from './process-group.js';
import { isStorageFailure, StorageError } from './storage-error.js';

export const MINIMUM_GIT = '2.38.0';
/** Below the time that the engine waits for an answer (`ANSWER_LIMIT_MS`), so that the error names the command. */
export const GIT_TIMEOUT_MS = 110_000;
/** For commands that read or write little. */
const SHORT_TIMEOUT_MS = 30_000;
export const GIT_OUTPUT_LIMIT_BYTES = 64 * 1024 * 1024;
export const GIT_MESSAGE_LIMIT_CHARS = 500;

/** The git commands that this package runs; no others are possible. */
type Command =
  | 'cat-file'
  | 'checkout-index'
  | 'config'
  | 'fetch'
  | 'for-each-ref'
  | 'hash-object'
  | 'init'
  | 'ls-remote'
  | 'merge-base'
  | 'merge-tree'
  | 'push'
  | 'read-tree'
  | 'rev-list'
  | 'rev-parse'
  | 'update-ref'
  | 'version';

/** Their time does not depend on the size of files, merges or histories. */
const SHORT: ReadonlySet<Command> = new Set([
  'config',
  'for-each-ref',
  'init',
  'rev-parse',
  'update-ref',
  'version',
]);

/** Max memory of one process whose memory grows with the files of a tree: a few small trees can stand for 10^9 files. */
const MEMORY_LIMIT_GIB = 1;
const MEMORY_LIMITED: ReadonlySet<Command> = new Set(['merge-tree', 'read-tree']);

export interface GitCall {
  readonly command: Command;
  /** Fixed options first, then `--end-of-options` or `--` before data. */
  readonly args: readonly string[];
  readonly gitDir?: string;
  /** The repository that limits how many processes run at the same time; default `gitDir`. */
  readonly repository?: string;
  /** The object folder, in place of that of `gitDir`. */
  readonly objectsDir?: string;
  readonly workTree?: string;
  readonly indexFile?: string;
  /** False to require the objects of commits: a commit-graph also lists missing ones. */
  readonly usesCommitGraph?: boolean;
  readonly input?: string | Buffer;
  /** Expected exit codes. Any other is an error. */
  readonly codes?: readonly number[];
  /** Stops git on abort; the call then throws. */
  readonly stop?: AbortSignal;
  /** Called when the process starts, with its answer. */
  readonly begins?: (answer: Promise<unknown>) => void;
  /** Waiting calls run in order of priority: see `PRIORITIES`. */
  readonly priority?: number;
  /** Lets the command reach a server over HTTP. Without it, git reaches none. */
  readonly network?: GitNetwork;
  /** Takes the output in pieces, one after another, without a limit; the answer then has none. Must not reject. */
  readonly onOutput?: (chunk: Buffer) => Promise<void>;
}

export interface GitNetwork {
  /** Git configuration of this command, such as a header with the credentials. Passed by the environment, never by argv. */
  readonly settings: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
}

export interface GitAnswer {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** Overrides the configuration of the repository: it cannot run programs or change a merge. */
const PINNED = [
  'core.hooksPath=/dev/null',
  'core.attributesFile=/dev/null',
  'core.excludesFile=/dev/null',
  'core.fsmonitor=false',
  'core.pager=cat',
  'core.quotePath=true',
  'core.autocrlf=false',
  'core.eol=lf',
  'core.safecrlf=false',
  'core.symlinks=true',
  'core.filesRefLockTimeout=1000',
  'gc.auto=0',
  'maintenance.auto=false',
  'protocol.allow=never',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
  'merge.renames=true',
  'merge.directoryRenames=conflict',
  'merge.renameLimit=7000',
  'merge.renormalize=false',
  'merge.conflictStyle=merge',
  'submodule.recurse=false',
].flatMap((setting) => ['-c', setting]);

/** Only PATH is inherited from the environment of this process. */
const environment = (call: GitCall): NodeJS.ProcessEnv => ({
  PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
  HOME: '/dev/null',
  XDG_CONFIG_HOME: '/dev/null',
  LC_ALL: 'C',
  TZ: 'UTC',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: '',
  GIT_PAGER: 'cat',
  ...(call.objectsDir === undefined ? {} : { GIT_OBJECT_DIRECTORY: call.objectsDir }),
  ...(call.indexFile === undefined ? {} : { GIT_INDEX_FILE: call.indexFile }),
  ...(call.network === undefined ? {} : networkEnvironment(call.network)),
});

/** The protocols named here override `protocol.allow`. */
const networkEnvironment = ({ settings }: GitNetwork): NodeJS.ProcessEnv => {
  const pairs = Object.entries({ 'http.followRedirects': 'false', 'push.negotiate': 'false', ...settings });
  return {
    GIT_ALLOW_PROTOCOL: 'http:https',
    GIT_CONFIG_COUNT: String(pairs.length),
    ...Object.fromEntries(
      pairs.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
};

/** Requests of people first, then effects, then polls. */
export const PRIORITIES = { person: 2, work: 1, poll: 0 } as const;

/**
 * Runs git. Throws a HostError for an exit code outside `codes`, and beyond the limits of output and time; a StorageError if
 * git cannot write objects. A command that waits for a server takes no place among the others; its caller limits how many
 * there are.
 */
export const runGit = async (call: GitCall): Promise<GitAnswer> => {
  const answer = await (call.network === undefined ? started(call) : spawned(call).answer);
  const isStorage = answer.code !== 0 && isStorageFailure(answer.stderr);
  if (!isStorage && (call.codes ?? [0]).includes(answer.code)) return answer;
  const message = `git ${call.command} failed (exit ${answer.code}): ${readable(answer.stderr)}`;
  throw isStorage ? new StorageError(message, 'later') : new HostError(message, 'later');
};

const started = (call: GitCall): Promise<GitAnswer> =>
  inSlot(call.repository ?? call.gitDir ?? '', call.priority ?? PRIORITIES.work, () => spawned(call));

/** Placeholder for the path of a repository in messages, which must not reveal it. */
export const PLACE = '<repository>';

const argvOf = (call: GitCall): readonly string[] => [
  ...(call.gitDir === undefined ? [] : [`--git-dir=${call.gitDir}`]),
  ...(call.workTree === undefined ? [] : [`--work-tree=${call.workTree}`]),
  ...PINNED,
  ...(call.usesCommitGraph === false ? ['-c', 'core.commitGraph=false'] : []),
  call.command,
  ...call.args,
];

/** The limit is that of the shell. macOS has none; there the time limit ends such a process. */
const programOf = (call: GitCall): readonly [program: string, argv: readonly string[]] => {
  if (!MEMORY_LIMITED.has(call.command)) return ['git', argvOf(call)];
  const script = `ulimit -d ${MEMORY_LIMIT_GIB * 1024 * 1024} 2>/dev/null; exec git "$@"`;
  return ['/bin/sh', ['-c', script, 'git', ...argvOf(call)]];
};

const timeoutOf = ({ command, network }: GitCall): number =>
  network?.timeoutMs ?? (SHORT.has(command) ? SHORT_TIMEOUT_MS : GIT_TIMEOUT_MS);

const withoutPlaces = (stderr: string, { gitDir, objectsDir, workTree }: GitCall): string =>
  [objectsDir, gitDir, workTree]
    .filter((place) => place !== undefined)
    .reduce((text, place) => text.replaceAll(place, PLACE), stderr);

const withMemoryLimit = (stderr: string, { command }: GitCall): string =>
  MEMORY_LIMITED.has(command)
    ? stderr.replace(/^fatal: Out of memory/, `$& (the limit is ${MEMORY_LIMIT_GIB} GiB)`)
    : stderr;

/** Starts git. On timeout or abort its process group is killed, and the answer rejects even if that has no effect. */
const spawned = (call: GitCall): Running<GitAnswer> => {
  const child = spawn(...programOf(call), {
    cwd: call.workTree ?? call.gitDir ?? '/',
    env: environment(call),
    stdio: 'pipe',
    // Runs in its own process group: otherwise Ctrl-C at a terminal would end it in the middle, and its pull
    // request would fail.
    detached: true,
  });
  const output = outputOf(child, () => kill(child), call.onOutput);
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  const answer = new Promise<GitAnswer>((resolve, reject) => {
    const giveUp = (error: HostError): void => {
      kill(child);
      reject(error);
    };
    const limitMs = timeoutOf(call);
    const timer = setTimeout(() => giveUp(tookTooLong(call, limitMs)), limitMs);
    const onAbort = (): void => giveUp(stopped(call));
    call.stop?.addEventListener('abort', onAbort);
    const finish = (): void => {
      clearTimeout(timer);
      call.stop?.removeEventListener('abort', onAbort);
    };
    if (call.stop?.aborted === true) onAbort();
    child.once('error', (error) => {
      finish();
      reject(notStarted(error));
    });
    child.once('close', (code, signal) => {
      finish();
      const stderr = withMemoryLimit(withoutPlaces(output.stderr(), call), call);
      if (code !== null) resolve(output.taken().then(() => ({ code, stdout: output.stdout(), stderr })));
      else reject(killed(call, signal, output.bytes(), stderr));
    });
  });
  // Git may exit before it has read all input; its exit code decides.
  child.stdin.on('error', () => undefined);
  child.stdin.end(call.input ?? '');
  call.begins?.(answer);
  return { answer, ended };
};

type Child = ChildProcessWithoutNullStreams;

/** Kills git with the processes that it started: one of them may hold the output open. */
const kill = (child: Child): void => {
  if (child.pid !== undefined) signalGroup(child.pid, 'SIGKILL');
  child.stdout.destroy();
  child.stderr.destroy();
};

const outputOf = (child: Child, refuseMore: () => void, onOutput: GitCall['onOutput']) => {
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  let outBytes = 0;
  let errBytes = 0;
  let taken: Promise<void> = Promise.resolve();
  child.stdout.on('data', (chunk: Buffer) => {
    if (onOutput !== undefined) {
      child.stdout.pause();
      // Node resumes the output when the process exits, so that the pause alone does not keep the pieces apart.
      taken = taken.then(() => onOutput(chunk)).then(() => void child.stdout.resume());
      return;
    }
    outBytes += chunk.length;
    if (outBytes > GIT_OUTPUT_LIMIT_BYTES) refuseMore();
    else out.push(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    errBytes += chunk.length;
    if (errBytes <= 64 * 1024) err.push(chunk);
  });
  return {
    stdout: () => Buffer.concat(out),
    stderr: () => Buffer.concat(err).toString('utf8'),
    bytes: () => outBytes,
    taken: () => taken,
  };
};

const notStarted = (error: Error): HostError => {
  const missing = 'code' in error && error.code === 'ENOENT';
  const why = missing ? 'either git is not installed or the repository is gone' : error.message;
  return new HostError(`git could not be started: ${why}.`, 'later', null, { cause: error });
};

const stopped = ({ command }: GitCall): HostError =>
  new HostError(
    `git ${command} was stopped: it took too long, or its answer is not needed any more.`,
    'later',
  );

const tookTooLong = ({ command }: GitCall, limitMs: number): HostError =>
  new HostError(
    `git ${command} was stopped: it had not ended after ${limitMs / 1000} s. If that repeats, look for a hanging disk or git process on the server.`,
    'later',
  );

const killed = (call: GitCall, signal: string | null, outBytes: number, stderr: string): HostError => {
  const { command } = call;
  if (outBytes > GIT_OUTPUT_LIMIT_BYTES)
    return new HostError(
      `git ${command} wrote more than ${GIT_OUTPUT_LIMIT_BYTES} bytes and was ended.`,
      'later',
    );
  return new HostError(`git ${command} crashed (${signal ?? 'a signal'}): ${readable(stderr)}`, 'later');
};

/** One line without control characters, cut to a safe length. */
export const readable = (text: string): string => {
  const line = oneLine(text).trim();
  return line.length > GIT_MESSAGE_LIMIT_CHARS ? `${line.slice(0, GIT_MESSAGE_LIMIT_CHARS - 1)}…` : line;
};

/**
 * The version of the git on the PATH. Throws a HostError (`never`) if there is none or it is older than
 * `MINIMUM_GIT`; meant for start-up.
 */
export const checkGit = async (): Promise<string> => {
  const { stdout } = await runGit({ command: 'version', args: [] }).catch((error: unknown) => {
    throw new HostError(
      `git was not found. Install git ${MINIMUM_GIT} or newer and check that \`git --version\` works.`,
      'never',
      null,
      { cause: error },
    );
  });
  const version = /(\d+(?:\.\d+)+)/.exec(stdout.toString('utf8'))?.[1] ?? '0';
  if (isAtLeast(version, MINIMUM_GIT)) return version;
  throw new HostError(`git ${version} is too old: git ${MINIMUM_GIT} or newer is needed.`, 'never');
};

export const isAtLeast = (version: string, minimum: string): boolean => {
  const have = version.split('.').map(Number);
  for (const [index, need] of minimum.split('.').map(Number).entries()) {
    const difference = (have[index] ?? 0) - need;
    if (difference !== 0) return difference > 0;
  }
  return true;
};
