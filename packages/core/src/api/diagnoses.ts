import { z } from 'zod';
import { everyQueue } from '../engine/pages.js';
import { diagnoseQueue } from '../explain/diagnose.js';
import type { CheckSource } from '../model/external-check.js';
import { type Finding, worstFirst } from '../model/finding.js';
import type { RepoRef } from '../model/repo.js';
import type { Store } from '../ports/store.js';
import { fields, takes } from '../validation/request-schemas.js';
import type { DiagnoseRequest, Diagnosis } from '../validation/requests.js';

/** Queues that one diagnosis looks at. */
export const DIAGNOSED_QUEUES_LIMIT = 1_000;
/** Findings of one diagnosis, errors first. */
export const FINDINGS_LIMIT = 1_000;

export interface DiagnosesParts {
  readonly store: Pick<Store, 'queues' | 'now'>;
  readonly sourcesOf: (repo: RepoRef) => readonly CheckSource[];
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
    const { store, sourcesOf } = this.#parts;
    const { targetBranch: branch, ...where } = request;
    const now = await store.now();
    const findings: Finding[] = [];
    let queues = 0;
    for await (const queue of everyQueue(store, { ...where, ...(branch === undefined ? {} : { branch }) })) {
      if (queues === DIAGNOSED_QUEUES_LIMIT)
        return { findings: shownOf(findings), queues, isComplete: false };
      queues += 1;
      findings.push(...diagnoseQueue({ queue, now, sources: sourcesOf(queue.repo) }));
    }
    return { findings: shownOf(findings), queues, isComplete: findings.length <= FINDINGS_LIMIT };
  });
}

const shownOf = (findings: readonly Finding[]): readonly Finding[] =>
  worstFirst(findings).slice(0, FINDINGS_LIMIT);
