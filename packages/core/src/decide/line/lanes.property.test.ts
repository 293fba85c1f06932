import { describe, expect, test } from 'vitest';
import { walks } from '../../../test/walks.js';
import type { SubmissionId } from '../../model/ids.js';
import { doOverlap } from '../../model/impacted-targets.js';
import {
  hasFailed,
  memberKey,
  remainingBatch,
  remainingMembers,
  remainingStack,
  type TestRun,
} from '../../model/run.js';
import { isAdmitted, isUrgent, type Submission } from '../../model/submission.js';
import { defaultPace } from '../draft/context.js';
import type { Draft } from '../draft/draft.js';
import { lineOf } from './line.js';
import { holdsOnlyDirect, memberOf, targetsOf } from './placement-input.js';
import { positionIn, positions } from './positions.js';
import { staleReasonOf } from './proof.js';

const prsOf = (members: readonly { readonly pr: number }[]) => members.map(({ pr }) => pr);

/** Pull requests that went first and have no run now: they go first while a member of their batch is urgent. */
const isStillWithUrgent = (draft: Draft, { goesWithUrgent, state, batch }: Submission): boolean =>
  goesWithUrgent &&
  state !== 'pending' &&
  batch !== null &&
  draft.liveSubmissions().some((mate) => mate.batch === batch && isUrgent(mate));

/** Pull requests under test with an urgent one: they go first with it, unless others stand below them. */
const isTestedWithUrgent = (draft: Draft, one: Submission): boolean => {
  const of = (member: { readonly submissionId: SubmissionId }) => draft.submission(member.submissionId);
  const isFirst = (other: Submission): boolean => isUrgent(other) || isTestedWithUrgent(draft, other);
  const isLanding = ({ id }: Submission) =>
    draft.queue.landing?.members.some(({ submissionId }) => submissionId === id) === true;
  if (draft.runsOf(one).length === 0) return isStillWithUrgent(draft, one);
  return draft.openRuns().some((run) => {
    const [batch, stack] = [remainingBatch(run).map(of), remainingStack(run).map(of)];
    if (run.purpose.kind !== 'test' || run.bisection !== null || !batch.some((mate) => mate?.id === one.id))
      return false;
    const isLed = batch.some((mate) => mate !== undefined && isUrgent(mate));
    return isLed && stack.every((ahead) => ahead !== undefined && (isLanding(ahead) || isFirst(ahead)));
  });
};

/** The line, sorted by comparing each pair. */
const naiveLine = (draft: Draft): readonly Submission[] => {
  const { landing, wanted, nextMode } = draft.queue;
  const mayBegin = wanted === 'running' && nextMode === null;
  const landingAt = (one: Submission) =>
    (landing?.members ?? []).findIndex((member) => memberKey(member) === memberKey(memberOf(one)));
  const keysOf = (one: Submission): readonly number[] => {
    const at = landingAt(one);
    const rank = () => {
      if (at >= 0) return 0;
      if (one.place !== null) return isUrgent(one) || isTestedWithUrgent(draft, one) ? 1 : 3;
      return isUrgent(one) && mayBegin ? 2 : 4;
    };
    const arrival = one.admittedAt ?? one.submittedAt;
    return [
      rank(),
      at,
      one.place ?? Number.MAX_SAFE_INTEGER,
      isUrgent(one) ? 0 : 1,
      arrival + one.priority.value * defaultPace.ageingMsPerPoint,
      arrival,
      one.admittedRank ?? one.submittedRank,
      one.pr,
    ];
  };
  const compare = (one: Submission, other: Submission): number => {
    const others = keysOf(other);
    return (
      keysOf(one)
        .map((key, index) => key - (others[index] ?? 0))
        .find((difference) => difference !== 0) ?? 0
    );
  };
  return draft.liveSubmissions().filter(isAdmitted).toSorted(compare);
};

/** The stack of each: overlapping pull requests ahead, and their stacks. */
const naiveLanes = (draft: Draft, line: readonly Submission[]): ReadonlyMap<string, ReadonlySet<string>> => {
  const ahead = new Map<string, Set<string>>();
  for (const [index, one] of line.entries()) {
    const mine = new Set<string>();
    for (const other of line.slice(0, index))
      if (doOverlap(targetsOf(draft, memberOf(one)), targetsOf(draft, memberOf(other))))
        for (const id of [other.id, ...(ahead.get(other.id) ?? [])]) mine.add(id);
    ahead.set(one.id, mine);
  }
  return ahead;
};

const isWitnessFor = (draft: Draft, witness: Submission, failed: string): boolean =>
  draft
    .openRuns()
    .some(
      (run) =>
        hasFailed(run) &&
        run.witnesses.some((one) => memberKey(one) === memberKey(memberOf(witness))) &&
        run.batch.some(({ submissionId }) => submissionId === failed),
    );

describe('the line of a random queue', () => {
  test('the line equals a sort of all submissions', () => {
    walks(({ draft }) => expect(prsOf([...lineOf(draft)])).toEqual(prsOf(naiveLine(draft))));
  }, 600_000);

  test('the number of submissions ahead equals a count, also after a change', () => {
    walks(({ draft }) => {
      const waiting = () => [...draft.ordered('waiting')];
      const [first, second] = waiting();
      if (first !== undefined) draft.change(first, { priority: { value: 7, named: false } });
      if (second !== undefined) draft.change(second, { heldBy: null, place: 1 });
      expect(waiting().map((one) => draft.rank('waiting', one))).toEqual(waiting().map((_, index) => index));
    });
  }, 600_000);

  test('each pull request is stacked on what it depends on and is expected to land, in line order', () => {
    walks(({ draft }) => {
      const line = [...lineOf(draft)];
      const lanes = naiveLanes(draft, line);
      const known = [...positions(draft)];
      const isInPlay = (id: SubmissionId) => positionIn(draft, id)?.isInPlay ?? false;
      for (const { member, stack, isTooDeep } of known) {
        const submission = line.find(({ id }) => id === member.submissionId);
        if (isTooDeep || submission === undefined) continue;
        const isWitness = line.some(({ id }) => isWitnessFor(draft, submission, id));
        const before = line.slice(0, line.indexOf(submission));
        // Only pull requests in play connect lanes. A witness that a failure waits for is tested on the failed ones too.
        const ahead = before.filter(({ id }) => isInPlay(id));
        const inPlay = naiveLanes(draft, [...ahead, submission]);
        if (holdsOnlyDirect(draft) && !isWitness) {
          expect(prsOf(stack)).toEqual(
            prsOf(
              ahead.filter((one) =>
                doOverlap(targetsOf(draft, memberOf(one)), targetsOf(draft, memberOf(submission))),
              ),
            ),
          );
          continue;
        }
        const expected = isWitness
          ? line.filter(
              ({ id }) =>
                lanes.get(submission.id)?.has(id) &&
                (isInPlay(id) || (isWitnessFor(draft, submission, id) && isReady(draft, id))),
            )
          : before.filter(({ id }) => inPlay.get(submission.id)?.has(id));
        expect(prsOf(stack)).toEqual(prsOf(expected));
      }
    });
  }, 600_000);

  test('a new batch consists of neighbours in one lane, and no pull request joins a batch that was tested before', () => {
    walks(({ walk, decision, before, draft }) => {
      const begun = decision.writes.runs.filter(
        ({ id, purpose, closedAt }) => purpose.kind === 'test' && closedAt === null && !before.runs.has(id),
      );
      for (const { batch, stack } of begun) {
        for (const [index, { submissionId }] of batch.entries())
          expect(prsOf(positionIn(draft, submissionId)?.stack ?? [])).toEqual(
            prsOf([...stack, ...batch.slice(0, index)]),
          );
        const rows = batch.map(({ submissionId }) => walk.state.submissions.get(submissionId));
        const former = new Set(
          batch.map(({ submissionId }) => before.submissions.get(submissionId)?.batch ?? null),
        );
        const ofItsNumber = draft.liveSubmissions().filter((one) => one.batch === rows[0]?.batch);
        expect(new Set(ofItsNumber)).toEqual(new Set(rows));
        if (batch.length === 1) continue;
        const wasTogether = former.size === 1 && !former.has(null);
        if (wasTogether) continue;
        expect(rows.filter((row) => row?.noBatch || row?.alone)).toEqual([]);
        expect(batch.length).toBeLessThanOrEqual(walk.state.queue.settings.batchingMinSize);
      }
    });
  }, 600_000);

  test('only whole passed runs that are not stale land, and no pull request lands before its stack', () => {
    walks(({ walk, decision, draft }) => {
      const [effect] = decision.effects.filter((effect) => effect.type === 'land');
      const { landing } = walk.state.queue;
      if (effect?.type !== 'land' || landing === null) return;
      const keys = landing.members.map(memberKey);
      expect(effect.members.map(({ pr, head }) => [pr, head])).toEqual(
        effect.candidate.steps.slice(-effect.members.length).map(({ pr, head }) => [pr, head]),
      );
      for (const [index, member] of landing.members.entries()) {
        const proof: TestRun | undefined = walk.state.runs.get(member.verifiedBy);
        expect(proof).toMatchObject({ outcome: 'passed', closedAt: null });
        if (proof === undefined) continue;
        expect(staleReasonOf(draft, proof)).toBeNull();
        expect(keys).toEqual(expect.arrayContaining(remainingMembers(proof).map(memberKey)));
        const below = positionIn(draft, member.submissionId)?.stack ?? [];
        expect(keys.slice(0, index)).toEqual(expect.arrayContaining(below.map(memberKey)));
      }
    });
  }, 600_000);
});

const isReady = (draft: Draft, id: Submission['id']): boolean => {
  const one = draft.submission(id);
  return one !== undefined && one.heldBy === null && one.asideSince === null;
};
