import { createHash } from 'node:crypto';
import type { GitRepository } from '../repositories.js';

export const CHECK_TIMEOUT_DEFAULT_SECONDS = 30 * 60;
export const CHECK_TIMEOUT_LIMIT_SECONDS = 24 * 60 * 60;
export const CHECK_NAME_LIMIT_CHARS = 100;
export const CHECK_COMMAND_LIMIT_CHARS = 10_000;
export const CHECKS_LIMIT = 100;

/** A command that tests a tree. It comes from the server's configuration, never from the tree. */
export interface CheckDefinition {
  readonly name: string;
  /** Run by `/bin/sh -c` in the exported tree. */
  readonly command: string;
  readonly timeoutSeconds?: number;
}

export interface ConfiguredCheck {
  readonly name: string;
  readonly command: string;
  readonly timeoutMs: number;
  /** Hash of everything that determines what the check does. */
  readonly digest: string;
  /** Why the check cannot be run as configured; null if it can. */
  readonly fault: string | null;
}

/** The checks of a repository: those in its git config as `mq.check.<name>.command`, overridden by those given. */
export const configuredChecks = async (
  repo: GitRepository,
  given: readonly CheckDefinition[],
): Promise<readonly ConfiguredCheck[]> => {
  const checks = new Map<string, ConfiguredCheck>();
  for (const [name, settings] of await readConfig(repo)) {
    const command = settings.get('command') ?? '';
    checks.set(name, configured(name, command, settings.get('timeoutseconds')));
  }
  for (const { name, command, timeoutSeconds } of given)
    checks.set(name, configured(name, command, timeoutSeconds?.toString()));
  return [...checks.values()].slice(0, CHECKS_LIMIT);
};

const readConfig = async (repo: GitRepository): Promise<ReadonlyMap<string, Map<string, string>>> => {
  const { stdout } = await repo.refs({
    command: 'config',
    args: ['--local', '--no-includes', '-z', '--get-regexp', '^mq\\.check\\.'],
    codes: [0, 1],
  });
  const found = new Map<string, Map<string, string>>();
  for (const entry of stdout.toString('utf8').split('\0')) {
    const match = /^mq\.check\.([^\n]+)\.([a-z]+)(?:\n(.*))?$/s.exec(entry);
    if (match?.[1] === undefined || match[2] === undefined) continue;
    const settings = found.get(match[1]) ?? new Map<string, string>();
    found.set(match[1], settings.set(match[2], match[3] ?? ''));
  }
  return found;
};

const configured = (name: string, command: string, timeout: string | undefined): ConfiguredCheck => {
  const seconds = timeout === undefined ? CHECK_TIMEOUT_DEFAULT_SECONDS : Number(timeout);
  const isTimeout = Number.isSafeInteger(seconds) && seconds >= 1 && seconds <= CHECK_TIMEOUT_LIMIT_SECONDS;
  const timeoutMs = (isTimeout ? seconds : CHECK_TIMEOUT_DEFAULT_SECONDS) * 1000;
  return {
    name,
    command,
    timeoutMs,
    digest: createHash('sha256')
      .update(JSON.stringify([command, timeoutMs]))
      .digest('hex'),
    fault: faultOf(name, command, isTimeout),
  };
};

const faultOf = (name: string, command: string, isTimeout: boolean): string | null => {
  if (name.length > CHECK_NAME_LIMIT_CHARS)
    return `its name is longer than ${CHECK_NAME_LIMIT_CHARS} characters`;
  if (command.trim() === '') return 'it has no command';
  if (command.includes('\0')) return 'its command contains a NUL character';
  if (command.length > CHECK_COMMAND_LIMIT_CHARS)
    return `its command is longer than ${CHECK_COMMAND_LIMIT_CHARS} characters`;
  return isTimeout
    ? null
    : `its timeout is not a whole number of seconds from 1 to ${CHECK_TIMEOUT_LIMIT_SECONDS}`;
};
