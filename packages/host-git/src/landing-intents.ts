import { type Candidate, HostError, isSha, type LandRequest, type Sha, type TestRunId } from '@mq/core';
import { z } from 'zod';
import { branchFault, branchRef, isPullNumber, landedRef, landingRef, pullRef } from './names.js';
import { containedIn, readBlobs, writeBlob } from './objects.js';
import { changeRefs, listRefs, offerRefs, type RefChange } from './refs.js';
import type { GitRepository } from './repositories.js';

const sha = z.string().refine(isSha);
const members = z
  .array(z.object({ pr: z.number().refine(isPullNumber), head: sha, commit: sha }))
  .max(10_000);

/** The intent of a landing in progress, stored at `refs/mq/landing/<run>`. */
const landingIntent = z.object({
  version: z.literal(1),
  branch: z.string().refine((name) => branchFault(name) === null),
  commit: sha,
  members,
});

/** The commit as which the pull request merges. */
export const commitOf = (candidate: Candidate, pr: number): Sha => {
  const step = candidate.steps.find((each) => each.pr === pr);
  if (step === undefined)
    throw new HostError(`The candidate ${candidate.commit} has no step of #${pr}.`, 'never');
  return step.commit;
};

export const recordIntent = async (
  repo: GitRepository,
  { runId, branch, candidate, members: landing }: LandRequest,
): Promise<void> => {
  const intent: z.input<typeof landingIntent> = {
    version: 1,
    branch,
    commit: candidate.commit,
    members: landing.map(({ pr, head }) => ({ pr, head, commit: commitOf(candidate, pr) })),
  };
  const blob = await writeBlob(repo, JSON.stringify(intent));
  const ref = landingRef(runId);
  if (!(await changeRefs(repo, [{ kind: 'update', ref, to: blob }])))
    throw new HostError(`${ref} could not be written; nothing has landed.`, 'later');
};

/**
 * If the target moved without its marks, the landing happened: git was killed during the transaction.
 * Adds the missing marks. An intent whose target has not moved may be in progress and is kept.
 */
export const finishLandings = async (repo: GitRepository): Promise<void> => {
  const refs = await listRefs(repo, ['refs/mq/landing']);
  if (refs.size === 0) return;
  const texts = await readBlobs(repo, [...refs.values()]);
  for (const [ref, blob] of refs) {
    const intent = parseIntent(texts.get(blob) ?? '');
    if (intent === null) continue;
    const target = branchRef(intent.branch);
    const tip = (await listRefs(repo, [target])).get(target);
    if (tip === undefined || !(await containedIn(repo, tip, [intent.commit])).has(intent.commit)) continue;
    const runId = ref.slice('refs/mq/landing/'.length) as TestRunId;
    await offerRefs(repo, [
      ...intent.members.flatMap(({ pr, head, commit }): RefChange[] => [
        { kind: 'update', ref: pullRef(pr, 'merged'), to: commit },
        { kind: 'update', ref: pullRef(pr, 'head'), to: head },
      ]),
      { kind: 'update', ref: landedRef(runId), to: intent.commit },
      { kind: 'delete', ref, was: blob },
    ]);
  }
};

const parseIntent = (text: string): z.output<typeof landingIntent> | null => {
  try {
    return landingIntent.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
};
