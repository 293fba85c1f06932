import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { signalGroup } from '../process-group.js';
import type { CheckUser } from './check-user.js';

/** Max size of a check's log. A longer log is cut; the command continues, and its verdict is not affected. */
export const LOG_LIMIT_BYTES = 4 * 1024 * 1024;
export const KILL_GRACE_MS = 5_000;
/** Max wait for the output pipes after the group has ended, because an escaped child may keep them open. */
const PIPES_GRACE_MS = 250;

export interface CommandRequest {
  readonly command: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** Ends the command on abort. */
  readonly stop: AbortSignal;
  readonly onStart: (pid: number) => Promise<void>;
  /** Null means the user of this process. */
  readonly user: CheckUser | null;
  /** A program with arguments to which the shell and the command are appended; empty for none. */
  readonly wrapper: readonly string[];
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'not_started'; readonly message: string };

/** Waits for a line on standard input before it runs the command. Ends without it if this process dies before. */
const WHEN_STARTED = 'read -r _ && exec "$@" </dev/null';

/**
 * Runs a command by `/bin/sh` in its own process group, and resolves when the whole group has ended. Only a child that left
 * the group can outlive it. The command starts after `onStart` has settled.
 */
export const runCommand = async (request: CommandRequest): Promise<Ending> => {
  if (request.stop.aborted) return { kind: 'stopped' };
  const words = [...request.wrapper, '/bin/sh', '-c', request.command];
  const child = spawn('/bin/sh', ['-c', WHEN_STARTED, 'sh', ...words], {
    cwd: request.folder,
    env: request.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(request.user === null ? {} : { uid: request.user.uid, gid: request.user.gid }),
  });
  const log = keepLog(child, request);
  const exit = exitOf(child);
  const { pid } = child;
  if (pid === undefined) {
    const ending = await exit;
    await log.close();
    return ending;
  }
  let cause: Ending | null = null;
  let killing: Promise<void> | null = null;
  const end = (why: Ending) => {
    cause ??= why;
    killing ??= killGroup(pid, request.killGraceMs);
  };
  let timer: NodeJS.Timeout | undefined;
  const onStop = () => end({ kind: 'stopped' });
  request.stop.addEventListener('abort', onStop, { once: true });
  // The child may have been killed before it reads the line.
  child.stdin.on('error', () => undefined);
  const sent = request
    .onStart(pid)
    .catch(() => undefined)
    .then(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // The timeout starts here, so that it does not include the time of `onStart`.
      timer = setTimeout(() => end({ kind: 'timed_out' }), request.timeoutMs);
      child.stdin.end('go\n');
    });
  const ending = await exit;
  clearTimeout(timer);
  request.stop.removeEventListener('abort', onStop);
  // Background processes of the command end with it.
  await (killing ?? killGroup(pid, request.killGraceMs));
  await sent;
  await log.close();
  return cause ?? ending;
};

const exitOf = (child: ChildProcess): Promise<Ending> =>
  new Promise((resolve) => {
    child.once('error', (error) => resolve({ kind: 'not_started', message: error.message }));
    child.once('exit', (code, signal) =>
      resolve(code === null ? { kind: 'signalled', signal: signal ?? 'unknown' } : { kind: 'exited', code }),
    );
  });

/** Max wait after SIGKILL: a killed process may take a moment, or stay a zombie that its parent never reaps. */
const GONE_LIMIT_MS = 1_000;

/** Sends SIGTERM, and SIGKILL to what remains after `graceMs`. Resolves when the group has ended, or 1 s after SIGKILL. */
export const killGroup = async (pid: number, graceMs: number): Promise<void> => {
  if (!signalGroup(pid, 'SIGTERM')) return;
  const deadline = Date.now() + graceMs;
  for (let waitMs = 5; Date.now() < deadline; waitMs = Math.min(waitMs * 2, 100)) {
    await delay(waitMs);
    if (!signalGroup(pid, 0)) return;
  }
  signalGroup(pid, 'SIGKILL');
  const killedAt = Date.now();
  while (signalGroup(pid, 0) && Date.now() - killedAt < GONE_LIMIT_MS) await delay(5);
};

const keepLog = (child: ChildProcess, { logFile, command }: CommandRequest) => {
  const file = createWriteStream(logFile, { flags: 'w', mode: 0o600 });
  let leftBytes = LOG_LIMIT_BYTES;
  // A log that cannot be written does not change the verdict.
  file.on('error', () => undefined);
  file.write(`$ ${command}\n`);
  const pipes = [child.stdout, child.stderr].flatMap((pipe) => pipe ?? []);
  for (const pipe of pipes)
    pipe.on('data', (chunk: Buffer) => {
      if (leftBytes <= 0) return;
      file.write(chunk.subarray(0, leftBytes));
      leftBytes -= chunk.length;
      if (leftBytes <= 0) file.write(`\n[cut here: a log has ${LOG_LIMIT_BYTES} bytes at most]\n`);
    });
  const closed = Promise.all(pipes.map((pipe) => new Promise((resolve) => pipe.once('close', resolve))));
  return {
    close: async () => {
      const waiting = new AbortController();
      await Promise.race([closed, delay(PIPES_GRACE_MS, null, { signal: waiting.signal }).catch(() => null)]);
      waiting.abort();
      for (const pipe of pipes) pipe.destroy();
      file.end();
      // A file that could not be opened or written has closed before.
      await finished(file).catch(() => undefined);
    },
  };
};
