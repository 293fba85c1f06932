import { z } from 'zod';
import { everyQueue } from '../engine/pages.js';
import { diagnoseQueue } from '../explain/diagnose.js';
import type { CheckSource, ExpectedCheck } from '../model/external-check.js';
import { type Finding, worstFirst } from '../model/finding.js';
import type { Queue } from '../model/queue.js';
import type { RepoRef } from '../model/repo.js';
import type { CheckStore } from '../ports/check-store.js';
import type { PresenceStore } from '../ports/presence-store.js';
import type { Store } from '../ports/store.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { DiagnoseRequest, Diagnosis } from '../validation/requests.js';
import type { Hosts } from './hosts.js';

/** Queues that one diagnosis looks at. */
export const DIAGNOSED_QUEUES_LIMIT = 1_000;
/** Open checks of a repository that one diagnosis reads, oldest first. */
const OPEN_CHECKS_READ = 1_000;
/** Findings of one diagnosis, errors first. */
export const FINDINGS_LIMIT = 1_000;

export interface DiagnosesParts {
  readonly store: Pick<Store, 'queues' | 'now'>;
  readonly hosts: Pick<Hosts, 'of'>;
  /** Null where nothing is shown at pull requests. */
  readonly presence: Pick<PresenceStore, 'open'> | null;
  /** Null where all checks are decided by code hosts. */
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

/** What is wrong, or will be, with queues. Reads rows and changes nothing. */
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
    let queues = 0;
    for await (const queue of everyQueue(store, { ...where, ...(branch === undefined ? {} : { branch }) })) {
      if (queues === DIAGNOSED_QUEUES_LIMIT)
        return { findings: shownOf(findings), queues, isComplete: false };
      queues += 1;
      const presences = (await this.#parts.presence?.open(queue.id)) ?? [];
      findings.push(...diagnoseQueue({ queue, now, presences, ...(await this.#reportsOf(queue)) }));
    }
    if (queues === 0 && request.repo !== undefined) hosts.of(request.repo);
    return { findings: shownOf(findings), queues, isComplete: findings.length <= FINDINGS_LIMIT };
  });

  async #reportsOf({ repo, lastSuccesses }: Queue): Promise<{
    readonly sources: readonly CheckSource[];
    readonly expected: readonly ExpectedCheck[];
  }> {
    const { external } = this.#parts;
    const sources = external?.sources(repo) ?? [];
    const names = sources.flatMap(({ name, source }) => (source === 'external' ? [name] : []));
    if (external === null || names.length === 0) return { sources, expected: [] };
    const runs = new Set(names.flatMap((name) => lastSuccesses[name] ?? []));
    const read = [...runs].map((runId) => external.store.ofRun(repo, runId));
    const expected = await Promise.all([external.store.open({ repo, limit: OPEN_CHECKS_READ }), ...read]);
    return { sources, expected: expected.flat() };
  }
}

const shownOf = (findings: readonly Finding[]): readonly Finding[] =>
  worstFirst(findings).slice(0, FINDINGS_LIMIT);
