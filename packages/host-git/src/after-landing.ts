import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isSha, type LandRequest, type Sha, type TestRunId } from '@mq/core';
import { z } from 'zod';
import { runCommand } from './checks/process.js';
import { branchFault, branchRef, candidateRef, runSegment } from './names.js';
import { containedIn, readBlobs, writeBlob } from './objects.js';
import { changeRefs, listRefs, offerRefs, readRef } from './refs.js';
import type { GitRepository } from './repositories.js';

const FOLDER = 'refs/mq/after';
const TRIES = 3;
const RETRY_DELAY_MS = 2_000;
const TIMEOUT_MS = 10 * 60_000;
const KILL_GRACE_MS = 5_000;
/** Max landings whose command is pending in one pass; the rest follow after the next landing. */
const DUE_LIMIT = 1_000;

const sha = z.string().refine(isSha);
/** A landing whose command has not succeeded yet, kept at `refs/mq/after/<run>`. */
const dueLanding = z.object({
  version: z.literal(1),
  branch: z.string().refine((name) => branchFault(name) === null),
  onto: sha,
  commit: sha,
  at: z.number(),
});
type DueLanding = Readonly<z.infer<typeof dueLanding>>;

export interface AfterLandingOptions {
  /** Run by `/bin/sh -c` in the bare repository, as the user of this process. */
  readonly command: string;
  /** Called when all retries of the command have failed, besides the log. */
  readonly onFault?: (fault: {
    readonly branch: string;
    readonly commit: string;
    readonly log: string;
  }) => void;
}

/** Records before a landing that its command must run, so that it runs even if this process dies right after. */
export const noteDue = async (repo: GitRepository, request: LandRequest): Promise<void> => {
  const { branch, onto, candidate, runId } = request;
  const due: DueLanding = { version: 1, branch, onto, commit: candidate.commit, at: Date.now() };
  const to = await writeBlob(repo, JSON.stringify(due));
  await changeRefs(repo, [{ kind: 'update', ref: `${FOLDER}/${runSegment(runId)}`, to }]);
};

/**
 * Runs a command after each landing, at least once, in the order of the landings. It gets what a `post-receive` hook gets:
 * `<old> <new> <ref>` on standard input. The landing does not wait for it, and its failure changes nothing.
 */
export class AfterLanding {
  readonly #stop = new AbortController();
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly options: AfterLandingOptions) {}

  /** Runs the pending commands of a repository. Resolves when none is left; never rejects. */
  run(repo: GitRepository): Promise<void> {
    const before = this.#underWay.get(repo.path) ?? Promise.resolve();
    const after = before.then(() => this.#runAll(repo)).catch(() => undefined);
    this.#underWay.set(repo.path, after);
    return after;
  }

  /** Stops a running command, which the next process repeats. Idempotent. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all(this.#underWay.values());
  }

  async #runAll(repo: GitRepository): Promise<void> {
    const refs = await listRefs(repo, [FOLDER]);
    if (refs.size === 0) return;
    const texts = await readBlobs(repo, [...refs.values()]);
    const due = [...refs].flatMap(([ref, blob]) => {
      const landing = parsed(texts.get(blob) ?? '');
      return landing === null ? [] : [{ ref, blob, landing }];
    });
    due.sort((one, other) => one.landing.at - other.landing.at);
    for (const { ref, blob, landing } of due.slice(0, DUE_LIMIT)) {
      if (this.#stop.signal.aborted) return;
      const runId = ref.slice(FOLDER.length + 1) as TestRunId;
      const hasEnded = (await hasLanded(repo, landing))
        ? await this.#runOne(repo, runId, landing)
        : !(await isUnderWay(repo, runId));
      if (hasEnded) await offerRefs(repo, [{ kind: 'delete', ref, was: blob }]);
    }
  }

  /** False if it was stopped. */
  async #runOne(repo: GitRepository, runId: TestRunId, landing: DueLanding): Promise<boolean> {
    const logFile = join(repo.folder, 'logs', `after-landing-${runSegment(runId)}.log`);
    await mkdir(join(repo.folder, 'logs'), { recursive: true });
    for (let tries = 1; tries <= TRIES; tries += 1) {
      const ending = await runCommand({
        command: `printf '%s\\n' "$MQ_OLD_COMMIT $MQ_NEW_COMMIT $MQ_REF" | {\n${this.options.command}\n}`,
        folder: repo.path,
        env: {
          PATH: process.env.PATH ?? '/usr/local/bin:/usr/bin:/bin',
          HOME: process.env.HOME ?? '/',
          GIT_DIR: repo.path,
          MQ_OLD_COMMIT: landing.onto,
          MQ_NEW_COMMIT: landing.commit,
          MQ_REF: branchRef(landing.branch),
          MQ_RUN_ID: runId,
        },
        logFile,
        timeoutMs: TIMEOUT_MS,
        killGraceMs: KILL_GRACE_MS,
        stop: this.#stop.signal,
        onStart: async () => {},
        user: null,
        wrapper: [],
      });
      if (ending.kind === 'stopped') return false;
      if (ending.kind === 'exited' && ending.code === 0) return true;
      if (tries < TRIES) await delay(RETRY_DELAY_MS, null, { signal: this.#stop.signal }).catch(() => null);
    }
    this.options.onFault?.({ branch: landing.branch, commit: landing.commit, log: logFile });
    return true;
  }
}

const hasLanded = async (repo: GitRepository, { branch, commit }: DueLanding): Promise<boolean> => {
  const tip = await readRef(repo, branchRef(branch));
  return tip !== null && (await containedIn(repo, tip, [commit as Sha])).has(commit as Sha);
};

const isUnderWay = async (repo: GitRepository, runId: TestRunId): Promise<boolean> =>
  (await readRef(repo, candidateRef(runId))) !== null;

const parsed = (text: string): DueLanding | null => {
  try {
    return dueLanding.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};
