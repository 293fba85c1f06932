import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckUser } from './check-user.js';

/** The log of a check is cut here; the command goes on and its end counts as ever. */
export const LOG_LIMIT_BYTES = 4 * 1024 * 1024;
export const KILL_GRACE_MS = 5_000;
/** How long pipes that escaped children hold open are waited for after the group is gone. */
const PIPES_GRACE_MS = 250;

export interface CommandRequest {
  readonly command: string;
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly logFile: string;
  readonly timeoutMs: number;
  readonly killGraceMs: number;
  /** Ends the command when it is aborted. */
  readonly stop: AbortSignal;
  readonly onStart: (pid: number) => Promise<void>;
  /** Null: the user of this process. */
  readonly user: CheckUser | null;
  /** The program and arguments that the shell with the command is handed to; empty for none. */
  readonly wrapper: readonly string[];
}

export type Ending =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: string }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'not_started'; readonly message: string };

/** Waits for a line before it becomes the command, and ends where this process dies before it writes one. */
const WHEN_STARTED = 'read -r _ && exec "$@" </dev/null';

/**
 * Runs a command by `/bin/sh` in a process group of its own, and returns when the whole group is gone. Only a child
 * that left the group can outlive it. Nothing of it runs before `onStart` has come to its end.
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
  // It may have been ended meanwhile.
  child.stdin.on('error', () => undefined);
  const sent = request
    .onStart(pid)
    .catch(() => undefined)
    .then(() => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      // What we took to write down that it runs is not its own time.
      timer = setTimeout(() => end({ kind: 'timed_out' }), request.timeoutMs);
      child.stdin.end('go\n');
    });
  const ending = await exit;
  clearTimeout(timer);
  request.stop.removeEventListener('abort', onStop);
  // What the command left running in the background ends with it.
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

/** A killed process may still be ending, or wait for ever for a parent that takes notice of its end. */
const GONE_LIMIT_MS = 1_000;

/** SIGTERM, and SIGKILL to what is left after the grace. */
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

/** False where the group has no process any more. */
const signalGroup = (pid: number, signal: 'SIGTERM' | 'SIGKILL' | 0): boolean => {
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
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
      await new Promise<void>((resolve) => {
        file.once('close', resolve);
        file.end();
      });
    },
  };
};
