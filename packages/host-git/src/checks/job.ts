import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { RepoRef, Sha, TestRunId } from '@mq/core';
import { readable } from '../git.js';
import type { GitRepository } from '../repositories.js';
import type { CheckFolders } from './check-folders.js';
import { CHECK_MARK, type CheckUser, giveTo, killStrays, ticksOf } from './check-user.js';
import type { ConfiguredCheck } from './config.js';
import { exportTree } from './export.js';
import { markOf, type OwnerMark, type ProcessMark } from './owner.js';
import { runCommand } from './process.js';
import { type CheckRecord, ended, leftBehind, STOPPED, writeRecord } from './results.js';
import { type CommandVerdict, verdictOf } from './verdict.js';

/** A check that this process runs or is about to run. */
export interface Job {
  readonly repo: RepoRef;
  readonly git: GitRepository;
  readonly ref: string;
  readonly commit: Sha;
  readonly check: ConfiguredCheck;
  readonly logFile: string;
  /** The process of this check that a killed server left running. It is killed before the check starts again. */
  readonly orphan: ProcessMark | null;
  readonly stop: AbortController;
  record: CheckRecord;
  /** The object id of the last written record; null before the first write. */
  blob: Sha | null;
  /** True once the job has got a slot. */
  hasBegun: boolean;
}

export interface JobContext {
  readonly workplaces: CheckFolders;
  readonly killGraceMs: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Null means the user of this process. Throws a HostError if the configured user cannot be used. */
  readonly user: () => Promise<CheckUser | null>;
  readonly wrapper: readonly string[];
}

const WRITE_TRIES = 5;
export const CANCELLED = 'It was cancelled.';

export const newRecord = ({
  ref,
  runId,
  name,
  check,
  owner,
}: {
  readonly ref: string;
  readonly runId: TestRunId;
  readonly name: string;
  readonly check: ConfiguredCheck | null;
  readonly owner: OwnerMark;
}): CheckRecord => {
  const startedAt = Date.now();
  const digest = createHash('sha256').update(ref).digest('hex').slice(0, 16);
  return {
    version: 1,
    // Ids sort by time, then by ordinal, so that the later of two checks of one millisecond counts as newer.
    id: `${startedAt.toString(36).padStart(9, '0')}-${ref.split('/').at(-1)?.padStart(4, '0')}-${digest}`,
    runId,
    name: name.slice(0, 1000),
    digest: check?.digest ?? null,
    status: 'queued',
    conclusion: null,
    startedAt,
    completedAt: null,
    url: null,
    summary: null,
    timeoutMs: check?.timeoutMs ?? 0,
    owner,
    resumed: 0,
    left: false,
    process: null,
  };
};

/**
 * Runs one check to its end; a stopped one ends at once. Never throws: an error around the command is recorded as
 * `infrastructure`.
 */
export const perform = async (job: Job, context: JobContext): Promise<void> => {
  const { signal } = job.stop;
  const verdict = await testOnce(job, context).catch(
    (error: unknown): CommandVerdict =>
      signal.aborted
        ? cancelled
        : {
            conclusion: 'infrastructure',
            summary: `The test could not be prepared: ${readable(error instanceof Error ? error.message : String(error))}`,
          },
  );
  const isClosing = verdict.conclusion === 'cancelled' && signal.reason === STOPPED;
  if (!isClosing) return keep(job, ended(job.record, verdict.conclusion, verdict.summary));
  // Closing is not a failure of the check, so the next reader takes it over. A check that never started has no process, so
  // its record is not rewritten: closing must not wait for thousands of writes.
  if (job.hasBegun) await keep(job, leftBehind(job.record));
};

const cancelled: CommandVerdict = { conclusion: 'cancelled', summary: CANCELLED };

const testOnce = async (
  job: Job,
  { workplaces, killGraceMs, environment, user: findUser, wrapper }: JobContext,
): Promise<CommandVerdict> => {
  const { check, git, commit, logFile, stop } = job;
  if (stop.signal.aborted) return cancelled;
  const user = await findUser();
  const place = await workplaces.make();
  let sinceTicks: number | null = null;
  try {
    const { tree, home, temporary } = await exportTree(git, commit, place, stop.signal);
    if (user !== null) await giveTo(user, [tree, home, temporary]);
    const env = {
      PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
      LANG: 'C.UTF-8',
      CI: 'true',
      ...environment,
      HOME: home,
      TMPDIR: temporary,
      ...(user === null ? {} : { USER: user.name, LOGNAME: user.name }),
      [CHECK_MARK]: place,
      MQ_RUN_ID: job.record.runId,
      MQ_COMMIT: commit,
    };
    const onStart = async (pid: number) => {
      sinceTicks = await ticksOf(pid);
      await workplaces.note(place, pid);
      await keepRunning(job, pid);
    };
    job.record = { ...job.record, startedAt: Date.now() };
    const { timeoutMs } = check;
    const { command } = check;
    const request = {
      command,
      folder: tree,
      env,
      logFile,
      timeoutMs,
      killGraceMs,
      stop: stop.signal,
      onStart,
      user,
      wrapper: wrapper.map((word) => filledIn(word, { tree, home, tmp: temporary })),
    };
    return await verdictOf(await runCommand(request), command, { folder: tree, env, timeoutMs, wrapper });
  } finally {
    if (user !== null && sinceTicks !== null) await killStrays(user, { folder: place, sinceTicks });
    await workplaces.remove(place);
  }
};

/** Replaces `{tree}`, `{home}` and `{tmp}` in a word of the wrapper by the folders of the check. */
const filledIn = (word: string, folders: Readonly<Record<'tree' | 'home' | 'tmp', string>>): string =>
  word.replace(/\{(tree|home|tmp)\}/g, (_, name: 'tree' | 'home' | 'tmp') => folders[name]);

const keepRunning = async (job: Job, pid: number): Promise<void> => {
  const record: CheckRecord = { ...job.record, status: 'running', process: await markOf(pid) };
  const blob = await writeRecord(job.git, job.ref, record, job.blob);
  // Another process has completed the record, so the result is not needed.
  if (blob === null) job.stop.abort(CANCELLED);
  else job.blob = blob;
};

/**
 * Writes the final record, unless another process has done so. If the repository stays unreachable, this process abandons
 * the check, and the next reader takes it over. No retries for a stopped check.
 */
const keep = async (job: Job, record: CheckRecord): Promise<void> => {
  const mostTries = job.stop.signal.aborted ? 1 : WRITE_TRIES;
  for (let tries = 1; tries <= mostTries; tries += 1) {
    try {
      await writeRecord(job.git, job.ref, record, job.blob);
      return;
    } catch {
      if (tries < mostTries) await delay(200 * 2 ** tries);
    }
  }
};
