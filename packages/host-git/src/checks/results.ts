import { createHash } from 'node:crypto';
import { type Check, conclusions, isSha, type Sha, type TestRunId } from '@mq/core';
import { z } from 'zod';
import { runSegment } from '../names.js';
import { readBlobs, writeBlob } from '../objects.js';
import { changeRefs, listRefs } from '../refs.js';
import type { GitRepository } from '../repositories.js';
import { ownerMark, processMark } from './owner.js';

export const CI_SOURCE = 'mq-ci';
export const SUMMARY_LIMIT_CHARS = 300;
/** How long past its timeout a check of another machine is still assumed to be running. */
const FOREIGN_GRACE_MS = 60 * 60 * 1000;

const checkRecord = z.object({
  version: z.literal(1),
  /** Also the name of the log file, so its characters are restricted. */
  id: z.string().regex(/^[a-z0-9-]{1,100}$/),
  runId: z.string().max(100),
  name: z.string().max(1000),
  digest: z.string().max(100).nullable(),
  status: z.enum(['queued', 'running', 'completed']),
  conclusion: z.enum(conclusions).nullable(),
  startedAt: z.number().int(),
  completedAt: z.number().int().nullable(),
  url: z.string().max(4000).nullable(),
  summary: z.string().max(SUMMARY_LIMIT_CHARS).nullable(),
  timeoutMs: z.number().int().nonnegative(),
  owner: ownerMark,
  /** Number of restarts because the process that ran the check had died. */
  resumed: z.number().int().nonnegative().default(0),
  /** True if its server was closed before it ended: the next reader restarts it. */
  left: z.boolean().default(false),
  /** The leader of its process group while it runs; otherwise null. */
  process: processMark.nullable(),
});

/** One check of a test run, stored at `refs/mq/checks/<commit>/<run>/<name's digest>/<ordinal>`. */
export type CheckRecord = Readonly<z.infer<typeof checkRecord>>;

export interface StoredCheck {
  readonly ref: string;
  readonly blob: Sha;
  readonly record: CheckRecord;
}

/** True if the check still runs; null if this machine cannot know it. */
export type AskIfRunning = (check: StoredCheck) => Promise<boolean | null>;

export const CHECKS = 'refs/mq/checks';

/** The ref prefix of a check. It contains a digest, because names of checks are free text. */
export const checkFolder = (commit: Sha, runId: TestRunId, name: string): string =>
  `${runFolder(commit, runId)}/${createHash('sha256').update(name).digest('hex').slice(0, 24)}`;

export const runFolder = (commit: Sha, runId: TestRunId): string =>
  `${CHECKS}/${commit}/${runSegment(runId)}`;

export const commitOf = (ref: string): Sha | null => {
  const commit = ref.split('/')[3] ?? '';
  return isSha(commit) ? commit : null;
};

export const ordinalOf = (ref: string): number => Number(ref.split('/').at(-1));

/** Reads the records below these prefixes, in no order. Unreadable records are left out. */
export const storedChecks = async (
  repo: GitRepository,
  prefixes: readonly string[],
): Promise<readonly StoredCheck[]> => {
  const refs = await listRefs(repo, prefixes);
  const texts = await readBlobs(repo, [...refs.values()]);
  return [...refs].flatMap(([ref, blob]) => {
    const record = parseRecord(texts.get(blob) ?? '');
    return record === null ? [] : [{ ref, blob, record }];
  });
};

const parseRecord = (text: string): CheckRecord | null => {
  try {
    return checkRecord.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};

/** Writes a record by compare-and-swap; `was` null means that it must be new. Null if another process was faster. */
export const writeRecord = async (
  repo: GitRepository,
  ref: string,
  record: CheckRecord,
  was: Sha | null,
): Promise<Sha | null> => {
  const blob = await writeBlob(repo, JSON.stringify(record));
  return (await changeRefs(repo, [{ kind: 'update', ref, to: blob, was }])) ? blob : null;
};

export const ended = (
  record: CheckRecord,
  conclusion: NonNullable<CheckRecord['conclusion']>,
  summary: string | null,
): CheckRecord => ({
  ...record,
  status: 'completed',
  conclusion,
  completedAt: Math.max(Date.now(), record.startedAt),
  summary: summary === null ? null : summary.slice(0, SUMMARY_LIMIT_CHARS),
  process: null,
});

/** The record of a check that its server left, for the next reader to restart. */
export const leftBehind = (record: CheckRecord): CheckRecord => ({
  ...record,
  status: 'queued',
  left: true,
  process: null,
});

export const STOPPED = 'The CI was stopped while it ran.';

/** Takes over an abandoned check. Null if that is not possible or another process was faster. */
export type TakeOver = (check: StoredCheck) => Promise<StoredCheck | null>;

/**
 * Returns the checks after each abandoned one was taken over or, if that fails, completed as `infrastructure`. Either is
 * stored, so that all readers see the same.
 */
export const withEnds = async (
  repo: GitRepository,
  checks: readonly StoredCheck[],
  isRunning: AskIfRunning,
  takeOver: TakeOver = async () => null,
): Promise<readonly StoredCheck[]> => {
  const settled: StoredCheck[] = [];
  for (const check of checks) {
    if (check.record.status === 'completed' || (await mayStillRun(check, isRunning))) {
      settled.push(check);
      continue;
    }
    const taken = await takeOver(check);
    if (taken !== null) {
      settled.push(taken);
      continue;
    }
    const record = ended(check.record, 'infrastructure', STOPPED);
    const blob = await writeRecord(repo, check.ref, record, check.blob);
    // Another process has written the record first, so its version counts.
    if (blob === null) settled.push(...(await storedChecks(repo, [check.ref])));
    else settled.push({ ref: check.ref, blob, record });
  }
  return settled;
};

const mayStillRun = async (check: StoredCheck, isRunning: AskIfRunning): Promise<boolean> => {
  const known = await isRunning(check);
  return known ?? Date.now() < check.record.startedAt + check.record.timeoutMs + FOREIGN_GRACE_MS;
};

export const checksOf = async (
  repo: GitRepository,
  isRunning: AskIfRunning,
  commits: readonly Sha[],
  takeOver?: TakeOver,
): Promise<ReadonlyMap<Sha, readonly Check[]>> => {
  const wanted = [...new Set(commits)].filter(isSha);
  const stored = await storedChecks(
    repo,
    wanted.map((commit) => `${CHECKS}/${commit}`),
  );
  const found = new Map<Sha, Check[]>(wanted.map((commit) => [commit, []]));
  for (const { ref, record } of await withEnds(repo, stored, isRunning, takeOver)) {
    const commit = commitOf(ref);
    if (commit !== null) found.get(commit)?.push(shown(record));
  }
  return found;
};

const shown = ({
  id,
  runId,
  name,
  digest,
  status,
  conclusion,
  startedAt,
  completedAt,
  url,
  summary,
}: CheckRecord) => ({
  id,
  runId: runId as TestRunId,
  name,
  source: CI_SOURCE,
  digest,
  status,
  conclusion,
  startedAt,
  completedAt,
  url,
  summary,
});
