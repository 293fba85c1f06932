import { z } from 'zod';
import { everyQueue } from '../engine/pages.js';
import { type DiagnosedQueue, diagnoseQueue, isDurationKnown } from '../explain/diagnose.js';
import type { CheckSource, ExpectedCheck } from '../model/external-check.js';
import { type Finding, worstFirst } from '../model/finding.js';
import type { TestRunId } from '../model/ids.js';
import type { Queue } from '../model/queue.js';
import { type RepoRef, repoKey } from '../model/repo.js';
import type { CheckStore } from '../ports/check-store.js';
import type { PresenceStore } from '../ports/presence-store.js';
import { PAGE_LIMIT, type Store } from '../ports/store.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { DiagnoseRequest, Diagnosis } from '../validation/requests.js';
import type { Hosts } from './hosts.js';
import type { QueueReader } from './queue-reader.js';

/** Queues that one diagnosis looks at. */
export const DIAGNOSED_QUEUES_LIMIT = 1_000;
/** Open checks of a repository that one diagnosis reads, oldest first. */
const OPEN_CHECKS_READ = 1_000;
/** Ended test runs whose reports one diagnosis of a queue reads, newest first, if a check has several reporters. */
const RECENT_RUNS_READ = 100;
/** Findings of one diagnosis, errors first. */
export const FINDINGS_LIMIT = 1_000;

export interface DiagnosesParts {
  readonly hosts: Pick<Hosts, 'of'>;
  readonly store: Pick<Store, 'queues' | 'now' | 'history' | 'heldTargetBytes'>;
  readonly reader: Pick<QueueReader, 'see'>;
  readonly targetBytesLimit: number;
  /** Null if nothing is shown at pull requests. */
  readonly presence: Pick<PresenceStore, 'open'> | null;
  /** Null if all checks are decided by code hosts. */
  readonly external: {
    readonly sources: (repo: RepoRef) => readonly CheckSource[];
    readonly store: Pick<CheckStore, 'open' | 'ofRun'>;
  } | null;
}

const ofDiagnosis = z.strictObject({
  repo: fields.repo.optional(),
  repositories: fields.repositories,
  targetBranch: fields.name.optional(),
});

/** Finds present and coming problems of queues. Reads rows and changes nothing. */
export class Diagnoses {
  readonly #parts: DiagnosesParts;

  constructor(parts: DiagnosesParts) {
    this.#parts = parts;
  }

  readonly diagnose = takes(ofDiagnosis, async (request: DiagnoseRequest): Promise<Diagnosis> => {
    const { store, hosts } = this.#parts;
    const { targetBranch: branch, ...where } = request;
    const now = await store.now();
    const findings: Finding[] = [];
    const heldBytes = new Map<string, number>();
    let queues = 0;
    for await (const queue of everyQueue(store, { ...where, ...(branch === undefined ? {} : { branch }) })) {
      if (queues === DIAGNOSED_QUEUES_LIMIT)
        return { findings: shownOf(findings), queues, isComplete: false };
      queues += 1;
      const key = repoKey(queue.repo);
      const bytes = heldBytes.get(key) ?? (await store.heldTargetBytes(queue.repo));
      // One finding for a repository, at its first queue.
      const counted = heldBytes.has(key) ? 0 : bytes;
      heldBytes.set(key, bytes);
      findings.push(...diagnoseQueue({ now, ...(await this.#of(queue, counted)) }));
    }
    if (queues === 0 && request.repo !== undefined) hosts.of(request.repo);
    return { findings: shownOf(findings), queues, isComplete: findings.length <= FINDINGS_LIMIT };
  });

  async #of(queue: Queue, bytes: number): Promise<Omit<DiagnosedQueue, 'now'>> {
    const { presence, targetBytesLimit: limitBytes } = this.#parts;
    const [presences, reports, testing] = await Promise.all([
      presence?.open(queue.id) ?? [],
      this.#reportsOf(queue),
      this.#testing(queue),
    ]);
    return { queue, presences, ...reports, testing, targets: { bytes, limitBytes } };
  }

  /** Read only if it is known how long a test run takes. */
  async #testing(queue: Queue): Promise<DiagnosedQueue['testing']> {
    if (!isDurationKnown(queue)) return [];
    const runs = await this.#parts.reader.see(queue, [], (draft) =>
      draft.openRuns().filter(({ state }) => state === 'testing'),
    );
    return runs ?? [];
  }

  async #reportsOf(queue: Queue): Promise<{
    readonly sources: readonly CheckSource[];
    readonly expected: readonly ExpectedCheck[];
  }> {
    const { external } = this.#parts;
    const { repo, lastSuccesses } = queue;
    const sources = external?.sources(repo) ?? [];
    const reported = sources.filter((one) => one.source === 'external');
    if (external === null || reported.length === 0) return { sources, expected: [] };
    const hasSeveral = reported.some(({ reporters }) => reporters.length > 1);
    const recent = hasSeveral ? await this.#recentRuns(queue) : [];
    const runs = new Set([...reported.flatMap(({ name }) => lastSuccesses[name] ?? []), ...recent]);
    const read = [...runs].map((runId) => external.store.ofRun(repo, runId));
    const [open, ...ended] = await Promise.all([
      external.store.open({ repo, limit: OPEN_CHECKS_READ }),
      ...read,
    ]);
    const isOpen = (one: ExpectedCheck): boolean => one.closedAt === null;
    return { sources, expected: [...open, ...ended.flat().filter((one) => !isOpen(one))] };
  }

  async #recentRuns({ id }: Queue): Promise<readonly TestRunId[]> {
    const query = { queueIds: [id], types: ['run'], order: 'newest_first', limit: PAGE_LIMIT } as const;
    const { items } = await this.#parts.store.history(query);
    const ended = items.flatMap((row) => (row.type === 'run' && row.change === 'ended' ? [row.runId] : []));
    return [...new Set(ended)].slice(0, RECENT_RUNS_READ);
  }
}

const shownOf = (findings: readonly Finding[]): readonly Finding[] =>
  worstFirst(findings).slice(0, FINDINGS_LIMIT);
